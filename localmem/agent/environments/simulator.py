"""States of a PDDL problem: STRIPS with typing, negative preconditions and (in)equality.

jupyddl (pure Python, no dependencies) parses. It also grounds, but then leaves out facts that never change and
actions that can never happen, which are what somebody who asks why an action failed must be told about. So
actions are kept as schemas here and matched against the facts of a state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.errors import AgentError, UsageError

Fact = tuple[str, ...]
"""Predicate and objects; in a schema, variables among them begin with "?"."""
State = frozenset[Fact]


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with variables."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Variable and type of each."""
    needs: tuple[Fact, ...]
    forbids: tuple[Fact, ...]
    equal: tuple[tuple[str, str, bool], ...]
    """Two terms, and whether they must be the same (or must not)."""
    adds: tuple[Fact, ...]
    deletes: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A problem with its domain."""

    name: str
    domain: str
    types: Mapping[str, str]
    """Type to the type above it."""
    objects: Mapping[str, str]
    """Name to type, in the order of the file."""
    schemas: Mapping[str, Schema]
    start: State
    goal: tuple[Fact, ...]

    def is_a(self, name: str, type: str) -> bool:
        """Whether an object is of a type, or of one below it."""
        found: str | None = self.objects.get(name)
        while found is not None and found != type:
            found = self.types.get(found)
        return found is not None or (type == "object" and name in self.objects)


def parse(domain: str, problem: str) -> Task:
    """A task from the texts of the two files.

    Raises:
        UsageError: jupyddl is not installed.
        AgentError: no PDDL, or more than STRIPS with typing.
    """
    try:
        from jupyddl import parser
    except ImportError:
        raise UsageError(
            "PDDL problems need the package jupyddl.", hint="Install it: pip install 'localmem[bench]'"
        ) from None
    try:
        parsed, wanted = parser.parse(domain), parser.parse(problem)
    except (parser.PDDLError, IndexError, TypeError, AttributeError, RecursionError) as error:
        # The parser indexes into lists without looking: any of these means text that is no PDDL.
        raise _refused(str(error)) from None
    if not isinstance(parsed, parser.Domain) or not isinstance(wanted, parser.Problem):
        raise _refused("one file must define a domain, the other a problem")
    return _task(parsed, wanted)


def successor(schema: Schema, arguments: Sequence[str], state: State) -> State:
    """The state after an action whose preconditions hold."""
    bound = _binding(schema, arguments)
    deleted = {_ground(fact, bound) for fact in schema.deletes}
    return (state - deleted) | {_ground(fact, bound) for fact in schema.adds}


def unmet(task: Task, schema: Schema, arguments: Sequence[str], state: State) -> list[tuple[Fact, bool]]:
    """What keeps an action from being carried out: facts, and whether they should be true or should not.

    A type that does not fit is the fact ("type", object, type).
    """
    bound = _binding(schema, arguments)
    wrong: list[tuple[Fact, bool]] = [
        (("type", bound[variable], type), True)
        for variable, type in schema.parameters
        if not task.is_a(bound[variable], type)
    ]
    wrong += [(fact, True) for part in schema.needs if (fact := _ground(part, bound)) not in state]
    wrong += [(fact, False) for part in schema.forbids if (fact := _ground(part, bound)) in state]
    for left, right, same in schema.equal:
        if (bound.get(left, left) == bound.get(right, right)) is not same:
            wrong.append((("=", bound.get(left, left), bound.get(right, right)), same))
    return wrong


def applicable(task: Task, state: State) -> list[tuple[str, ...]]:
    """Actions that can be carried out and change something, as name and arguments, sorted."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    for fact in state:
        facts[fact[0]].append(fact)
    return sorted(
        (schema.name, *arguments)
        for schema in task.schemas.values()
        for arguments in set(_matches(task, schema, facts))
        if not unmet(task, schema, arguments, state) and successor(schema, arguments, state) != state
    )


def ground(
    schema: Schema, arguments: Sequence[str]
) -> tuple[tuple[Fact, ...], tuple[Fact, ...], tuple[Fact, ...]]:
    """What an action needs, what it makes true, and what it makes untrue and does not make true as well."""
    bound = _binding(schema, arguments)
    adds = tuple(_ground(fact, bound) for fact in schema.adds)
    needs = tuple(_ground(fact, bound) for fact in schema.needs)
    return needs, adds, tuple(fact for part in schema.deletes if (fact := _ground(part, bound)) not in adds)


def reachable(task: Task) -> list[tuple[str, ...]]:
    """Actions that could be carried out if nothing ever became untrue, as name and arguments, sorted."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    known: set[Fact] = set()
    new: set[Fact] = set(task.start)
    found: set[tuple[str, ...]] = set()
    while new:
        for fact in new:
            facts[fact[0]].append(fact)
        known |= new
        new = set()
        for schema in task.schemas.values():
            for arguments in set(_matches(task, schema, facts)):
                if (schema.name, *arguments) in found or not _possible(task, schema, arguments):
                    continue
                found.add((schema.name, *arguments))
                new |= set(ground(schema, arguments)[1]) - known
    return sorted(found)


def _possible(task: Task, schema: Schema, arguments: Sequence[str]) -> bool:
    """Whether types and equalities hold, which no action changes."""
    bound = _binding(schema, arguments)
    return all(task.is_a(bound[variable], type) for variable, type in schema.parameters) and all(
        (bound.get(left, left) == bound.get(right, right)) is same for left, right, same in schema.equal
    )


def _matches(task: Task, schema: Schema, facts: Mapping[str, list[Fact]]) -> Iterator[tuple[str, ...]]:
    """Arguments under which the positive preconditions hold."""

    def bind(place: int, bound: dict[str, str]) -> Iterator[dict[str, str]]:
        if place == len(schema.needs):
            yield bound
            return
        wanted = schema.needs[place]
        for fact in facts.get(wanted[0], ()):
            new = _unify(wanted, fact, bound)
            if new is not None:
                yield from bind(place + 1, new)

    def complete(place: int, bound: dict[str, str]) -> Iterator[tuple[str, ...]]:
        if place == len(schema.parameters):
            yield tuple(bound[variable] for variable, _ in schema.parameters)
            return
        variable, type = schema.parameters[place]
        for name in [bound[variable]] if variable in bound else task.objects:
            if task.is_a(name, type):
                yield from complete(place + 1, {**bound, variable: name})

    for bound in bind(0, {}):
        yield from complete(0, bound)


def _unify(wanted: Fact, fact: Fact, bound: Mapping[str, str]) -> dict[str, str] | None:
    if len(wanted) != len(fact):
        return None
    new = dict(bound)
    for term, name in zip(wanted[1:], fact[1:], strict=True):
        if term.startswith("?"):
            if new.setdefault(term, name) != name:
                return None
        elif term != name:
            return None
    return new


def _binding(schema: Schema, arguments: Sequence[str]) -> dict[str, str]:
    return {variable: name for (variable, _), name in zip(schema.parameters, arguments, strict=True)}


def _ground(fact: Fact, bound: Mapping[str, str]) -> Fact:
    return (fact[0], *(bound.get(term, term) for term in fact[1:]))


def _refused(why: str) -> AgentError:
    return AgentError(
        f"The problem cannot be read: {' '.join(why.split())[:200]}.",
        hint="STRIPS with typing is read: predicates, conjunctions, not and =.",
    )


def _task(domain: Any, problem: Any) -> Task:
    if any((domain.functions, domain.derived, domain.constraints, problem.preferences, problem.constraints)):
        raise _refused("it has numbers, derived predicates, preferences or constraints")
    literals, equal = _condition(problem.goal)
    if equal or not literals or not all(positive for _, positive in literals):
        raise _refused("its goal is not a list of facts")
    schemas = [_schema(action) for action in domain.actions]
    objects = dict([*domain.constants, *problem.objects])
    task = Task(
        name=problem.name,
        domain=domain.name,
        types=dict(domain.types),
        objects=objects,
        schemas={schema.name: schema for schema in schemas},
        start=frozenset(_fact(atom) for atom in problem.init),
        goal=tuple(fact for fact, _ in literals),
    )
    for fact in (*task.goal, *task.start):
        for name in fact[1:]:
            if name not in objects:
                raise _refused(f"{name} is no object of it")
    return task


def _schema(action: Any) -> Schema:
    literals, equal = _condition(action.precondition)
    adds: list[Fact] = []
    deletes: list[Fact] = []
    _effects(action.effect, adds, deletes)
    return Schema(
        name=action.name,
        parameters=tuple((name, type) for name, type in action.parameters),
        needs=tuple(fact for fact, positive in literals if positive),
        forbids=tuple(fact for fact, positive in literals if not positive),
        equal=tuple(equal),
        adds=tuple(adds),
        deletes=tuple(deletes),
    )


def _fact(atom: Any) -> Fact:
    return (atom.predicate, *atom.args)


def _condition(formula: Any) -> tuple[list[tuple[Fact, bool]], list[tuple[str, str, bool]]]:
    from jupyddl import parser

    match formula:
        case parser.Truth(value=True):
            return [], []
        case parser.Literal(atom=atom, positive=positive):
            return [(_fact(atom), positive)], []
        case parser.EqualityConstraint(left=left, right=right, positive=positive):
            return [], [(left, right, positive)]
        case parser.And(parts=parts):
            literals: list[tuple[Fact, bool]] = []
            equal: list[tuple[str, str, bool]] = []
            for part in parts:
                more, pairs = _condition(part)
                literals += more
                equal += pairs
            return literals, equal
    raise _refused(f"a condition is a {type(formula).__name__}")


def _effects(effect: Any, adds: list[Fact], deletes: list[Fact]) -> None:
    from jupyddl import parser

    match effect:
        case parser.AddEffect(atom=atom):
            adds.append(_fact(atom))
        case parser.DelEffect(atom=atom):
            deletes.append(_fact(atom))
        case parser.ConjunctiveEffect(parts=parts):
            for part in parts:
                _effects(part, adds, deletes)
        case parser.IncreaseCostEffect():
            pass
        case _:
            raise _refused(f"an effect is a {type(effect).__name__}")
