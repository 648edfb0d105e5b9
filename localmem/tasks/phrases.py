"""The sentences of the replies, in English, German and Spanish.

What nodes say are the user's own words, whose gender and number nobody knows. So German and Spanish sentences put them
behind a colon or beside a word that does not bend; English ones only tell one from many.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's sentences. Names in braces are filled in by `Phrases.say`."""

    code: str
    conjunction: str
    # What changed
    new_task: str
    new_task_with: str
    added: str
    added_to: str
    first: str
    changed: str
    again: str
    swapped: str
    swapped_in: str
    removed: str
    restored: str
    done: str
    reopened: str
    linked: str
    unlinked: str
    moved: str
    needs: str
    noted: str
    parts: str
    together: str
    # What stands
    stands: str
    nothing: str
    empty: str
    open: str
    none_open: str
    none_removed: str
    none_changed: str
    finished: str
    none_finished: str
    finished_mark: str
    since: str
    count: str
    left: str
    unchanged: str
    no_more: str
    same: str
    undone: str
    none_undone: str
    # What was
    spans: str
    span: str
    span_now: str
    span_gone: str
    at_first: str
    at_first_gone: str
    between: str
    before: str
    only_ever: str
    most: str
    turn_of: str
    was_removed: str
    was_replaced: str
    was_changed: str
    was_added: str
    was_done: str
    not_removed: str
    not_changed: str
    said: str
    was_part: str
    was_part_gone: str
    listed_then: str
    # Yes and no
    yes: str
    no: str
    never: str
    no_longer: str
    was_so: str
    right_never: str
    one_now: str
    parts_now: str
    were_joined: str
    # Courtesy
    welcome: str
    hello: str
    bye: str
    fine: str
    chatter: str

    def say(self, phrase: str, **words: object) -> str:
        """A phrase with its words, as a sentence."""
        return sentence(self.part(phrase, **words))

    def part(self, phrase: str, **words: object) -> str:
        """A phrase with its words, for the middle of a sentence."""
        return str(getattr(self, phrase)).format(**words)


def sentence(text: str) -> str:
    """With a capital at the beginning and one mark at the end."""
    text = " ".join(text.split(" ")).strip()
    if text and not text.startswith("- ") and not re.match(r"\S*[@/._\d]", text.split(" ")[0].rstrip(".,:;")):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":", "”", "“", "»")) else text + "."


def lower(text: str) -> str:
    """A sentence as it stands behind a colon."""
    return text[:1].lower() + text[1:]


EN = Phrases(
    code="en",
    conjunction="and",
    new_task="New task: {name}",
    new_task_with="New task: {name}, with {items}",
    added="Added {items}",
    added_to="Added to {name}: {items}",
    first="{the} {is_are} {value}",
    changed="{the} {is_are} now {new}, {it_was} {old} before",
    again="{the} {is_are} {new} again, {it_was} {old} before",
    swapped="Now {new} instead of {old}",
    swapped_in="Now {new} instead of {old}, in {where}",
    removed="Removed {items}",
    restored="Back again: {items}",
    done="Done: {items}",
    reopened="Open again: {items}",
    linked="Now also in {name}: {items}",
    unlinked="No longer in {name}: {items}",
    moved="Moved from {old} to {name}: {items}",
    needs="{name} needs {items}",
    noted="Noted for {name}: {value}",
    parts="Now in parts: {items}",
    together="No longer in parts, it is one again",
    stands="{name}: {items}",
    nothing="{name}: nothing yet",
    empty="There are no tasks",
    open="Still open: {items}",
    none_open="Nothing is open any more",
    none_removed="Nothing was removed",
    none_changed="Nothing was changed",
    finished="Done already: {items}",
    none_finished="Nothing is done yet",
    finished_mark="done",
    since="since turn {turn}",
    count="{number} in all: {items}",
    left="What is left: {items}",
    unchanged="Nothing is changed",
    no_more="More than that is not noted",
    same="That is how it stands already: {items}",
    undone="Turn {turn} is undone",
    none_undone="There is nothing to undo: no turn has changed the tasks yet",
    spans="{name}: {items}",
    span="it was {value} from turn {first} to turn {last}",
    span_now="now it is {value}, since turn {first}",
    span_gone="removed in turn {first}",
    at_first="At first {the} {was_were} {old}, now {it_is} {new}",
    at_first_gone="At first {the} {was_were} {old}, removed in turn {turn}",
    between="In between {the} {was_were} {old}, now {it_is} {new}",
    before="Before {new} it was {old}, until turn {turn}",
    only_ever="{the} {was_were} {value} from the start, in turn {turn}, and still {is_are}",
    most="{the} {was_were} {value} at {most}, in turn {turn}",
    turn_of="turn {turn}",
    was_removed="Removed in turn {turn}: {name}",
    was_replaced="In turn {turn}, {new} replaced {name}",
    was_changed="{the} {was_were} changed from {old} to {new} in turn {turn}",
    was_added="Noted in turn {turn}: {name}",
    was_done="Marked as done in turn {turn}: {name}",
    not_removed="Not removed, this still stands: {name}",
    not_changed="Not changed since turn {turn}: {name}",
    said="you said: “{text}”",
    was_part="{name} {was_were} in {whole} from turn {first} until turn {last}",
    was_part_gone="{name} {was_were} there from turn {first} until turn {last}",
    listed_then="At first, in turn {turn}, there was {items}",
    yes="Yes: {text}",
    no="No: {text}",
    never="No, nothing about {name} was ever noted",
    no_longer="No, not any more: {text}",
    was_so="But it was: {text}",
    right_never="Indeed, nothing about {name} was ever noted",
    one_now="There is only one now, no longer several parts: {items}",
    parts_now="There are {number} parts: {items}",
    were_joined="In turn {turn} the parts were put together, before that there was {items}",
    welcome="You're welcome!",
    hello="Hello! Tell me what you plan.",
    bye="See you!",
    fine="All right.",
    chatter="All right, the tasks stay as they are.",
)

DE = Phrases(
    code="de",
    conjunction="und",
    new_task="Neue Aufgabe: {name}",
    new_task_with="Neue Aufgabe: {name}, mit {items}",
    added="Hinzugefügt: {items}",
    added_to="Hinzugefügt zu {name}: {items}",
    first="{name}: {value}",
    changed="{name}: jetzt {new}, vorher {old}",
    again="{name}: wieder {new}, vorher {old}",
    swapped="Jetzt {new} statt {old}",
    swapped_in="Jetzt {new} statt {old}, bei {where}",
    removed="Entfernt: {items}",
    restored="Wieder dabei: {items}",
    done="Erledigt: {items}",
    reopened="Wieder offen: {items}",
    linked="Jetzt auch bei {name}: {items}",
    unlinked="Nicht mehr bei {name}: {items}",
    moved="Verschoben von {old} zu {name}: {items}",
    needs="{name} braucht {items}",
    noted="Notiert zu {name}: {value}",
    parts="Jetzt aufgeteilt: {items}",
    together="Nicht mehr aufgeteilt, wieder alles zusammen",
    stands="{name}: {items}",
    nothing="{name}: noch nichts",
    empty="Es gibt keine Aufgaben",
    open="Noch offen: {items}",
    none_open="Es ist nichts mehr offen",
    none_removed="Es wurde nichts entfernt",
    none_changed="Es wurde nichts geändert",
    finished="Schon erledigt: {items}",
    none_finished="Es ist noch nichts erledigt",
    finished_mark="erledigt",
    since="seit Nachricht {turn}",
    count="Insgesamt {number}: {items}",
    left="Übrig: {items}",
    unchanged="Es ist nichts geändert",
    no_more="Mehr ist dazu nicht notiert",
    same="So steht es schon: {items}",
    undone="Nachricht {turn} ist rückgängig gemacht",
    none_undone="Es gibt nichts rückgängig zu machen: noch keine Nachricht hat die Aufgaben geändert",
    spans="{name}: {items}",
    span="von Nachricht {first} bis {last} war es {value}",
    span_now="jetzt ist es {value}, seit Nachricht {first}",
    span_gone="entfernt in Nachricht {first}",
    at_first="{name}: zuerst war es {old}, jetzt ist es {new}",
    at_first_gone="{name}: zuerst war es {old}, entfernt in Nachricht {turn}",
    between="{name}: dazwischen war es {old}, jetzt ist es {new}",
    before="Vor {new} war es {old}, bis Nachricht {turn}",
    only_ever="{name}: von Anfang an {value}, seit Nachricht {turn}",
    most="{name}: {most} war es {value}, in Nachricht {turn}",
    turn_of="Nachricht {turn}",
    was_removed="In Nachricht {turn} entfernt: {name}",
    was_replaced="In Nachricht {turn} ersetzt: {name} durch {new}",
    was_changed="{name}: in Nachricht {turn} von {old} auf {new} geändert",
    was_added="In Nachricht {turn} notiert: {name}",
    was_done="In Nachricht {turn} erledigt: {name}",
    not_removed="Nicht entfernt, das gilt noch: {name}",
    not_changed="Seit Nachricht {turn} nicht geändert: {name}",
    said="du hast gesagt: „{text}“",
    was_part="{name}: war von Nachricht {first} bis {last} bei {whole}",
    was_part_gone="{name}: war von Nachricht {first} bis {last} dabei",
    listed_then="Am Anfang, in Nachricht {turn}, war da {items}",
    yes="Ja: {text}",
    no="Nein: {text}",
    never="Nein, zu {name} war nie etwas notiert",
    no_longer="Nein, nicht mehr: {text}",
    was_so="Doch: {text}",
    right_never="Stimmt, zu {name} war nie etwas notiert",
    one_now="Es ist jetzt nur noch eins, nicht mehr mehrere Teile: {items}",
    parts_now="Es sind {number} Teile: {items}",
    were_joined="In Nachricht {turn} wurden die Teile zusammengelegt, vorher war es {items}",
    welcome="Gern geschehen!",
    hello="Hallo! Sag mir, was du vorhast.",
    bye="Bis dann!",
    fine="Alles klar.",
    chatter="Alles klar, die Aufgaben bleiben, wie sie sind.",
)

ES = Phrases(
    code="es",
    conjunction="y",
    new_task="Nueva tarea: {name}",
    new_task_with="Nueva tarea: {name}, con {items}",
    added="Añadido: {items}",
    added_to="Añadido a {name}: {items}",
    first="{name}: {value}",
    changed="{name}: ahora {new}, antes era {old}",
    again="{name}: otra vez {new}, antes era {old}",
    swapped="Ahora {new} en lugar de {old}",
    swapped_in="Ahora {new} en lugar de {old}, en {where}",
    removed="Quitado: {items}",
    restored="De vuelta: {items}",
    done="Hecho: {items}",
    reopened="Pendiente otra vez: {items}",
    linked="Ahora también en {name}: {items}",
    unlinked="Ya no en {name}: {items}",
    moved="Pasado de {old} a {name}: {items}",
    needs="{name} necesita {items}",
    noted="Anotado sobre {name}: {value}",
    parts="Ahora en partes: {items}",
    together="Ya no está dividido, todo junto otra vez",
    stands="{name}: {items}",
    nothing="{name}: todavía nada",
    empty="No hay tareas",
    open="Pendiente: {items}",
    none_open="Ya no queda nada pendiente",
    none_removed="No se quitó nada",
    none_changed="No se cambió nada",
    finished="Ya hecho: {items}",
    none_finished="Todavía no hay nada hecho",
    finished_mark="hecho",
    since="desde el mensaje {turn}",
    count="En total {number}: {items}",
    left="Queda: {items}",
    unchanged="No ha cambiado nada",
    no_more="No hay nada más anotado sobre eso",
    same="Ya está así: {items}",
    undone="El mensaje {turn} está deshecho",
    none_undone="No hay nada que deshacer: ningún mensaje ha cambiado las tareas",
    spans="{name}: {items}",
    span="del mensaje {first} al {last} era {value}",
    span_now="ahora es {value}, desde el mensaje {first}",
    span_gone="quitado en el mensaje {first}",
    at_first="{name}: al principio era {old}, ahora es {new}",
    at_first_gone="{name}: al principio era {old}, quitado en el mensaje {turn}",
    between="{name}: entre medias era {old}, ahora es {new}",
    before="Antes de {new} era {old}, hasta el mensaje {turn}",
    only_ever="{name}: {value} desde el principio, en el mensaje {turn}",
    most="{name}: {most} era {value}, en el mensaje {turn}",
    turn_of="mensaje {turn}",
    was_removed="Quitado en el mensaje {turn}: {name}",
    was_replaced="Reemplazado en el mensaje {turn}: {name} por {new}",
    was_changed="{name}: en el mensaje {turn} cambió de {old} a {new}",
    was_added="Anotado en el mensaje {turn}: {name}",
    was_done="Hecho desde el mensaje {turn}: {name}",
    not_removed="No se quitó, sigue ahí: {name}",
    not_changed="Sin cambios desde el mensaje {turn}: {name}",
    said="dijiste: «{text}»",
    was_part="{name}: estuvo en {whole} del mensaje {first} al {last}",
    was_part_gone="{name}: estuvo del mensaje {first} al {last}",
    listed_then="Al principio, en el mensaje {turn}, había {items}",
    yes="Sí: {text}",
    no="No: {text}",
    never="No, nunca se anotó nada de {name}",
    no_longer="No, ya no: {text}",
    was_so="Pues sí: {text}",
    right_never="Cierto, nunca se anotó nada de {name}",
    one_now="Ahora es solo uno, ya no hay varias partes: {items}",
    parts_now="Son {number} partes: {items}",
    were_joined="En el mensaje {turn} se juntaron las partes, antes era {items}",
    welcome="¡De nada!",
    hello="¡Hola! Dime qué planeas.",
    bye="¡Hasta luego!",
    fine="De acuerdo.",
    chatter="De acuerdo, las tareas se quedan como están.",
)

PHRASES = {phrases.code: phrases for phrases in (EN, DE, ES)}


def phrases(language: str) -> Phrases:
    """The sentences of a language; of English if there are none."""
    return PHRASES.get(language, EN)
