"""Words that tell what a sentence is there for, in English, German and Spanish.

The tables widen or narrow what the model may write about a turn; they never change the task graph by themselves.
A wording that is in none of them is left to the model. Another language is another entry in `LANGUAGES`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Cue(StrEnum):
    """What a sentence hints at."""

    ASK = "ask"
    """Begins like a question, or is a request to be told something."""
    SUPPOSE = "suppose"
    """A hypothesis or a doubt."""
    CLAIM = "claim"
    """Says what was so, as far as the speaker remembers."""
    REQUEST = "request"
    """A polite form in front of what is asked for: "could you"."""
    TALK = "talk"
    """Thanks, greetings, praise."""
    CHATTER = "chatter"
    """Marks of talk that is for nobody's list, anywhere in a clause."""
    DELETE = "delete"
    ONLY = "only"
    """All but some go, or some alone stay."""
    RESTORE = "restore"
    BACK = "back"
    FIRST = "first"
    """The value at the very beginning."""
    DONE = "done"
    ALSO = "also"
    """One thing for several tasks."""
    SWAP = "swap"
    """One thing in the place of another: what is named is what goes."""
    CHANGE = "change"
    """Another value, place or time."""
    ABSENT = "absent"
    """Somebody or something is not to be had."""
    SPLIT = "split"
    MERGE = "merge"
    ALL = "all"
    """Set words: everything, both, all."""
    REST = "rest"
    """Set words: the others."""
    POINT = "point"
    """Pronouns, which point to what was spoken of last."""
    EVER = "ever"
    """A question about the past."""
    WHY = "why"
    LIST = "list"
    """A question about all that stands."""
    ADD = "add"
    """Something new, said so."""
    START = "start"
    """A task of its own begins."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language's function words, by which it is known, and its cues."""

    code: str
    common: frozenset[str]
    cues: dict[Cue, str]
    """A regular expression each, on case-folded text with plain apostrophes."""


_EN = Language(
    "en",
    frozenset(
        [
            "the",
            "a",
            "an",
            "of",
            "to",
            "in",
            "on",
            "at",
            "for",
            "and",
            "or",
            "is",
            "are",
            "was",
            "were",
            "be",
            "i",
            "we",
            "you",
            "it",
            "my",
            "our",
            "me",
            "this",
            "that",
            "with",
            "from",
            "not",
            "do",
            "does",
            "did",
            "have",
            "has",
            "had",
            "can",
            "will",
            "would",
            "should",
            "what",
            "which",
            "who",
            "when",
            "where",
            "why",
            "how",
            "there's",
            "it's",
            "i'm",
            "let's",
            "don't",
            "please",
            "just",
            "no",
            "he",
            "she",
            "they",
            "them",
            "his",
            "her",
            "all",
            "there",
        ]
    ),
    {
        Cue.ASK: (
            r"^(so |and |ok(ay)?,? |but |hey,? |wait,? |by the way,? |now |btw,? |hmm+,? |um+,? |also,? |then |sorry,? |again,? |oh,? )*"
            r"(what|what's|whats|which|who|who's|whose|when|when's|where|where's|why|how|am i|are (we|you|they|there|the)|is|isn't|was|wasn't|weren't|were|"
            r"(do|does|did) (i|we|you|they|he|she|it|the|my|our|any|all|both|\w+s)|don't (i|we|you)|doesn't|didn't|have (i|we|you)|has|haven't|hasn't|had|would it|should|shall|could it|remind me (what|which|who|when|where|how|why|of)|"
            r"tell me|show|list (all|every|the|my|what|everything|out|me)|repeat|recap|summari[sz]e|sum up|read (me |us |it |that |them )?(back|out|the|my|all)|(quick |short |full )?(recap|summary|overview|status)\b|give me (a|an|the|my) (list|overview|summary|recap|status|rundown)|"
            r"i (want|need|would like|'d like) to know|i wonder|i'm wondering|any idea|help (me )?(to )?(repeat|recap|remember|list)|let me (know|see)|"
            r"(double|re)-?check|check (if|whether|that|what|again)|explain|verify|confirm (what|which|the|my|that|if|whether)|describe|remember (what|which|who|when|where)|let's (see|review|recap))\b"
            r"|\b(right|correct|isn't it|wasn't it|aren't they|didn't (i|we)|don't (i|we)|no)\s*\?\s*$"
        ),
        Cue.REQUEST: (
            r"^(so |and |ok(ay)?,? |but |hey,? |wait,? |actually,? |now |then |also,? |oh,? |sorry,? |hmm+,? )*((please )?(can|could|would|will|may|might) (you|we|i)( please| maybe| just| also)*( help me| help)?( to)?|would you mind|"
            r"why don't (we|you)|can't (we|you)|is it (possible|okay|ok) to|do you mind|please|i('d| would) like (you )?to|i want (you )?to|help( me)?( to)?|let's|let us|go ahead and|i need (you )?to|you can|we can)\s+"
        ),
        Cue.SUPPOSE: (
            r"\b(what if|suppose|supposing|imagine|hypothetically|just curious|assuming|in case (we|i)|if (we|i|it|you|they|he|she|\w+) (were|was|did|could|would|had|wanted|decided|moved|changed|dropped|cancell?ed|took|went|made|swapped|added|removed|switched)\b.*\b(would|could|might|what|how|who|is there|'d)|"
            r"(would|could|might)\b.*\bif (we|i|it|you|they)|not (quite |so |really |too |entirely |completely |100% )*(sure|certain|decided|convinced|wild about|keen)|who knows|i ask myself|unsure|no idea|don't know (yet|if|whether|what)|haven't decided|can't decide|"
            r"(i|we)('m| am|'re| are)? (still |just |kind of |sort of )*(wonder|wondering|thinking (about|of|maybe)|considering|debating|tempted|toying|torn|on the fence)|maybe|perhaps|might|"
            r"(should|shall) (i|we)|do you (think|reckon)|would it (be|make|work|help)|is it (worth|better|wise|a good idea|too late)|could be an option|one option|in theory)\b"
        ),
        Cue.CLAIM: (
            r"^(but |and |so |hmm,? |wait,? |hey,? )*(i|we) (thought|could have sworn|could've sworn|remember|recall|assumed|figured|seem to)\b"
            r"|^(but |and |so |hmm,? |wait,? )*(i('m| am) (pretty |fairly |quite |almost )?(sure|certain)|i (really )?(think|believe|guess)|pretty sure|if i remember)\b.*\b(was|were|wasn't|weren't|never|had|did|didn't|said|told|ever|already)\b"
            r"|\b(as far as i (remember|recall|know))\b"
        ),
        Cue.TALK: (
            r"^(thanks?( you)?( so much| a lot| very much| a million)?|thx|ty|cheers|great|perfect|awesome|cool|nice|nice one|ok(ay)?|okey|alright|all right|hi|hello|hey|hiya|good (morning|evening|afternoon|night|job)|bye|goodbye|see (you|ya)( later| soon)?|lol|haha+|"
            r"got it|sounds good|looks good|wonderful|excellent|lovely|ugh|phew|brb|you('re| are) (the best|great|a lifesaver|awesome|amazing|so helpful|very helpful)|that's (great|perfect|all|it|fine|good|helpful)|well done|no worries|never ?mind|yay|phew|wow|much appreciated|appreciate it|(have )?(a )?(nice|great|good) (day|weekend|one)|how are you( today| doing)?|what's up|(sure|yes|yep|yeah|yup|no|nope)(?=[\s.!,]*$))\b"
        ),
        Cue.CHATTER: r"\b(wish me luck|brb|fingers crossed|so (cute|tired|excited)|can't wait|lol|haha+|ugh|phew|fun fact|guess what)\b",
        Cue.DELETE: (
            r"\b(remov\w*|delet\w*|eras\w*|omit\w*|get rid|chuck\w*|bin|can go\b|had better go|crossed off|(be )?left out|with the exception|(is|are) (out|off)(?! of)\b|(isn\'t|aren\'t|is not|are not|no longer|not) (wanted|needed|required|necessary)|no \w+( \w+)? (needed|required|necessary)|drop(s|ped|ping)?|cancel\w*|scrap\w*|ditch\w*|skip\w*|forget( about)?|get rid|take (\w+ ){0,4}(off|out)|cut|strike|cross (\w+ ){0,4}(off|out)|leave (\w+ ){0,4}out|lose|without|no more|not? longer|no need|"
            r"don't (need|want|bother|bring|take|include|buy|get|book|invite)|do not (need|want)|doesn't need|exclud\w*|uninvit\w*|throw (\w+ ){0,3}out|minus|kick|clear (the|out|it|all|everything)|axe|empty|stop|nix|out:|isn't (coming|needed|going)|not (coming|needed|needing|necessary|going|taking|bringing)|won't (be )?(need\w*|com\w*|attend\w*|bring\w*)|dropped out|backed out)\b"
        ),
        Cue.ONLY: (
            r"\b(just|only|nothing but|all but|all except|everything but|besides|bar the|save for|everything except|with the exception of|exception|every\w* (\w+ ){0,3}(but|except)|except( for)?|apart from|other than|aside from|leave only|nothing else|narrow|reduce|reset)\b"
        ),
        Cue.RESTORE: (
            r"\b(keep|kept|after all|restor\w*|bring (\w+ ){0,4}back|put (\w+ ){0,4}back|add (\w+ ){0,4}back|back (in|on|to the list)|re-?add|re-?instat\w*|un-?delete|reactivat\w*|still (want|need|take|bring|include)|do (want|need) (\w+ ){0,3}(after|again)|"
            r"leave (\w+ ){0,3}in|not remove|don't (remove|delete|drop|cancel)|is (back|on again)|are back|again|can (come|make it|attend) after|is coming after|can (stay|come back|remain)|stays?|may stay|goes back (in|on)|(is not|are not|isn't|aren't) (?!need|want|requir|invit|interest|allow|suppos)\w+(ed|ne|wn|ght)( yet| after all)?|survives?|(is|are) (welcome|wanted|needed) (again|once more|after all)|once more|back into|returns?\b|not (done|finished|ready) yet|did (want|need)|want (\w+ ){0,3}back|back on)\b"
        ),
        Cue.BACK: (
            r"\b(go(ing)? back|back to|revert\w*|return to|undo|roll(ing)? ?back|restor\w*|as (it was|before|planned|originally)|what it was|the (old|previous|original|former|earlier|last|prior|first|initial) (one|value|date|time|plan|\w+)|previous\w*|originally|like before|change (it|that|\w+) back|set (\w+ )?back|(time|date|day|place|amount|one|value|number|plan|dose|price|it) (before|earlier) (was|is)|(was|were) (fine|right|better|correct|ok(ay)?|good)( after all)?|what (we|i) had|where it was|(it|that) was before|back on|switch (\w+ ){0,2}back|put (\w+ ){0,3}back|again|back again|(make|use|take) (\w+ ){0,3}(again|original\w*)|original\w*|initial\w*|at first|scratch that|un-?change|(one|a) (\w+ )?(step|setting|version) (back|earlier)|prior to that|(his|her|its|their|the|my) old|very start|day one|to start with|in the first place|(asked|quoted|said|agreed|wanted) (originally|first|before|at the)|what it (was|said))\b"
        ),
        Cue.FIRST: r"\b(original\w*|initial\w*|very start|day one|in the first place|to start with|very beginning|first|very first|at the (start|beginning)|in the beginning|started (with|out)|to begin with)\b",
        Cue.DONE: (
            r"\b(done|finish\w*|complet\w*|already|check(ed)? (\w+ ){0,3}off|tick(ed)? (\w+ ){0,3}off|(i|we|he|she|they)('ve| have|'s| has)? (just |already |now |finally )?(packed|bought|booked|called|sent|paid|washed|cleaned|ordered|picked|fixed|emailed|mailed|submitted|got|made|taken|took|cooked|baked|watered|painted|written|wrote|read|signed|filled|printed|returned|dropped off|delivered|installed|mowed|vacuumed|did|planted|prepared|confirmed|reserved|rehearsed|practi[sc]ed|ironed|tidied|set up|mark\w*)|"
            r"(is|are) (all )?(packed|booked|paid|bought|sent|sorted|ready|over|set|settled|in the bag|ticked|handled|taken care)|mark (\w+ ){0,5}(as )?(done|complete\w*|finished)|sorted|taken care of|(?<!not )(is|are|'s|has been|have been|got) (now |all |already |both )*(?!need|cancel|delay|mov|chang|suppos|call|nam|plann|schedul|invit|allow|remov|requir)\w+(ed|wn|ght)|(passed|written|sown|dug|hung|tagged|sent|packed|booked|paid|bought))\b"
            r"|^(and |ok(ay)?,? |so |just |already |finally |also |oh )*(?!need|add)(\w{2,}ed|bought|sent|paid|made|got|wrote|did|took|sold|built|cut|swept|hung|sewn|sown) (up |off |out |in )?(the|both|all|my|our|it|them|that|those|\w+s)\b"
        ),
        Cue.ALSO: r"\b(also|too(?! \w)|too(?= (?:and|but|please|for|in|to|at|on|with|then|now|if)\b)|as well|both|same|shared?|likewise|either|in addition|for (both|all|each)|the same (goes|for))\b",
        Cue.SWAP: (
            r"\b(instead( of)?|replac\w*|swap\w*|substitut\w*|rather than|in place of|switch\w* (\w+ ){0,4}(for|with|out)|exchang\w*|trade|turn \w+ into)\b"
        ),
        Cue.CHANGE: (
            r"\b(actually|change\w*|mov(e|ed|ing)|mak(e|ing) (it|that|this|them|the)|make|set|update\w*|correct\w*|correction|sorry|switch\w*|reschedul\w*|postpon\w*|shift\w*|push\w*|delay\w*|rather|turns? out|wait|oops|no,|i mean\w*|meant|not \w+ but|now|rename\w*|call it|increase|decrease|reduce|raise|lower|bump|double|halve|adjust|edit|amend|bring (\w+ ){0,3}forward|nope|better|second thoughts?|changed my mind|moves?|goes (up |down )?to|raised|lowered|increased|let's (do|go|say|have|use|take)|should be|needs? to be|is now|becomes?|only|more|fewer|less|later|earlier|or no\b|no sorry|that is, no|make that|extend\w*|dial\w*|turn\w* (up|down)|cut (to|down)|go for|ought to be|shall be|then\b)\b"
        ),
        Cue.ABSENT: (
            r"\b((can't|cannot|can not|couldn't|won't( be able to)?) (?!wait|believe|decide|remember|help|go wrong)\w+|(has|have|had) (a )?(cold|fever|flu|doctor\S*|dentist\S*)|(is|are) (stuck|ill|sick|off|abroad|traveling|travelling)\b|only gets?|collides?|has to (work|leave)|needs to leave|called in|(isn't|is not|aren't|not|un)[ -]?(available|free|around)|un-?available|only (free|available)|(is|are) only (free|available|in|there)|busy|away|out of (town|office|stock)|sold out|no (\w+ )?(left|more)|there's no|there is no|there are no|ran out|run out|(is|are|'s|'re|i'm) out of|don't have (any|the)|doesn't work|don't work|not work(ing)?|conflict\w*|booked up|fully booked|double.booked|on (vacation|holiday|leave)|allergic|sick|has (a|an|another) (\S+ )?(appointment|meeting|exam|shift|class|lesson)|clash\w*|closed|cancelled on (us|me)|let (us|me) down|broke|broken|doesn't answer|not answering|called in sick|is ill)\b"
        ),
        Cue.SPLIT: r"\b(split( it| them| up| into| the|$|ting)|split\b(?!s)|divid\w*|halve|separate them|two (parts|sessions|shifts|teams|groups|separate|halves)|separat\w*|break (\w+ ){0,3}(up|into)|three (parts|sessions|groups)|into (two|three|\d))\b",
        Cue.MERGE: r"\b(merg\w*|combin\w*|single|one (meeting|session|group|event|big|list|trip|task|call)|together|join\w* (them|both|the)|consolidat\w*|(forget|undo|drop|cancel|scrap|no) (the |that )?split|one \w+ (for|at|with) (\d|all|every|both|the)|unif\w*|as one|into one)\b",
        Cue.ALL: r"\b(every(thing|one|body)|all|both|each|whole|entire|everywhere|anything|any|every)\b",
        Cue.REST: r"\b(the rest|rest of|the others?|others|remaining|everyone else|everything else|all other|else)\b",
        Cue.POINT: r"\b(it|its|it's|that|this|them|they|these|those|one|ones|he|him|his|she|her|same|there|then)\b",
        Cue.EVER: (
            r"\b(ever|never|before|first|original\w*|initial\w*|earlier|previous\w*|used to|was|were|wasn't|weren't|had|did|didn't|in between|history|used|former\w*|since|ago|changed?|at the (start|beginning)|when did|last time|said|say|told)\b"
        ),
        Cue.WHY: r"\b(why|how come|what for|reason)\b",
        Cue.LIST: (
            r"\b(everything|all|list\w*|overview|summary|summari[sz]e|recap|status|so far|current\w*|left|remaining|still|whole|complete|full|repeat|plan|items?|tasks?|ingredients?|show|stand|what('s| is| are| do (i|we) have|'ve| have (i|we)) (in|on|left|next|planned|the|my|our|there|so|got)|to do|to-do|todo|my (list|tasks?|things|data|info\w*|details|cart|plan)|who('s| is| are)?( all)? (coming|going|in|invited|on|attending|joining)|how many|information|details|need(s|ed)?|have)\b"
        ),
        Cue.ADD: r"\b(add\w*|includ\w*|put|append|new|another|plus|invite|need(s)?|buy|get|book|create|start|plan|schedul\w*|remind me to|also|bring|pack|set up|begin|prepar\w*|open)\b",
        Cue.START: (
            r"^(so |and |ok(ay)?,? |hey,? |hi,? |now |also,? |then |next,? |please |by the way,? )*((can|could|would|will) (you|we) (please )?)?((i|we)('d| would)? (also )?(want|need|like|have|am going|are going|'m going|'re going|plan)( to)? )?(help (me |us )?(to |with )?)?"
            r"(let's |i'm |we're |i am |we are )?(plan\w*|schedul\w*|organi[sz]\w*|creat\w*|start(ing)?(?! (at|by|with|on|from|time|date|day|later|earlier|around|is|will|should)\b)|set(ting)? up|prepar\w*|beg[iu]n\w*|open\w*|fill\w*|arrang\w*|throw\w*|host\w*|mak(e|ing) (a|an|my|our|another|the|some|new)|build\w*|book(ing)? (a|an)|keep\w* (a|track)|track|new|another|hav(e|ing) (a|an)|renovat\w*|mov(e|ing) (house|flat|to a)|to \w+( \w+){0,4},|for (the|my|our|a|an|tomorrow|tonight)\b|we're|i'm|i am|we are|there's (a|also)|separately|second|different|apply\w*|write|\w+ing (a|an|my|our|the)\b)"
            r"|\b(list|plan|checklist|trip|party|project|schedule|recipe|to-?dos?)( for (the|my|our|\w+)( \w+){0,3})?\s*[:.]?$"
            r"|\b(list|checklist|plan|recipe|party|trip|dinner|meeting)\s*:|^(other|another|separate|different|unrelated|second) (thing|topic|task|project|list|matter)\b"
        ),
    },
)

_DE = Language(
    "de",
    frozenset(
        [
            "der",
            "die",
            "das",
            "den",
            "dem",
            "des",
            "ein",
            "eine",
            "einen",
            "einem",
            "einer",
            "und",
            "oder",
            "ist",
            "sind",
            "war",
            "waren",
            "sein",
            "ich",
            "wir",
            "du",
            "sie",
            "es",
            "mein",
            "meine",
            "meinen",
            "unser",
            "unsere",
            "mir",
            "mich",
            "uns",
            "mit",
            "von",
            "nicht",
            "kein",
            "keine",
            "für",
            "auf",
            "im",
            "am",
            "um",
            "zu",
            "zum",
            "zur",
            "bei",
            "aus",
            "nach",
            "kann",
            "will",
            "würde",
            "soll",
            "was",
            "welche",
            "welcher",
            "wer",
            "wann",
            "wo",
            "warum",
            "wie",
            "doch",
            "bitte",
            "auch",
            "noch",
            "nur",
            "mal",
            "hab",
            "habe",
            "haben",
            "hat",
            "wird",
            "werden",
            "uhr",
            "danke",
            "hallo",
            "guten",
            # Short orders have no other function word.
            "alles",
            "streich",
            "streiche",
            "lösch",
            "lösche",
            "füg",
            "füge",
            "hinzu",
            "nimm",
            "wieder",
            "weg",
            "raus",
            "statt",
        ]
    ),
    {
        Cue.ASK: (
            r"^(also,? |und |aber |ok(ay)?,? |moment,? |übrigens,? |jetzt |ach,? |ähm,? |hm+,? |sag mal,? |nochmal,? )*"
            r"(was|welche\w*|wer|wen|wem|wessen|wann|wo|wohin|woher|warum|wieso|weshalb|wie|wieviel\w*|bin ich|ist|sind|war|waren|hab(e)? (ich|wir)|haben (wir|sie)|hatte\w*|hast du|hat|steht|stehen|gibt es|gibt's|wollte\w* (ich|wir) nicht|"
            r"zeig\w*|nenn\w*|sag\w* mir|liste\w* (mir |alle|alles|bitte|auf)|wiederhol\w*|fass\w*|lies|gib mir (eine|die|einen|den|nochmal)|erklär\w*|prüf\w*|überprüf\w*|schau\w*|kommt|kommen|brauch\w* (ich|wir)|muss ich|müssen wir|fehlt|soll\w* (ich|wir)|sollte\w*|weißt du|erinner\w* mich (an was|was|wann|wer|wo))\b"
            r"|\b(oder|richtig|stimmt's|nicht wahr|stimmt das)\s*\?\s*$"
        ),
        Cue.REQUEST: (
            r"^(also,? |und |aber |ok(ay)?,? |bitte |jetzt |dann )*((kannst|könntest|würdest|magst|willst) du( bitte| mal| mir| noch)*|(können|könnten|wollen) (wir|sie)( bitte| mal| noch)*|kann ich|bitte|lass uns|hilf mir( bitte)?( dabei)?,?|ich (möchte|will|würde gern\w*)|wir (wollen|möchten))\s+"
        ),
        Cue.SUPPOSE: (
            r"\b(was wäre,? wenn|was,? wenn|angenommen|nehmen wir (mal )?an|stell dir vor|wenn (ich|wir|er|sie|es|man)\b.*\b(würde\w*|wäre\w*|könnte\w*|hätte\w*)|(würde\w*|wäre|könnte\w*)\b.*\bwenn (ich|wir|es|man)|nicht (ganz |so |wirklich )?sicher|unsicher|keine ahnung|weiß (noch )?nicht|vielleicht|eventuell|evtl|möglicherweise|überleg\w*|(ich|wir) frag\w* (mich|uns)|soll(te|ten)? (ich|wir)|meinst du|glaubst du|denkst du|noch nicht entschieden|bin am überlegen|mal sehen|rein theoretisch|theoretisch)\b"
        ),
        Cue.CLAIM: r"^(aber |und |hm,? |moment,? )*((ich|wir) (dachte\w*|meinte\w*|hätte\w* schwören)|(ich|wir) (glaub\w*|denk\w*|mein\w*|bin (mir )?(ziemlich |recht |fast )?sicher)\b.*\b(war|waren|nie|hatte\w*|gesagt|hab\w*|wurde\w*))\b|\bsoweit ich (weiß|mich erinnere)\b",
        Cue.TALK: r"^(danke\w*|vielen dank|super|toll|klasse|prima|perfekt|hallo|hi|hey|moin|guten (morgen|tag|abend)|gute nacht|tschüss|bis (bald|später|dann|morgen)|alles klar|ok(ay)?|gut gemacht|schön|cool|passt|na gut|haha+|wunderbar|genial|du bist (die |der )?(beste|super|toll)|wie geht('s| es)( dir| ihnen)?|schönes wochenende|schönen tag|(ja|nein|nö)(?=[\s.!,]*$))\b",
        Cue.CHATTER: r"\b(boah|puh|drück\w* (mir |uns )?die daumen|haha+|freu mich)\b",
        Cue.DELETE: r"\b(streich(e|en|t ihr)?|gestrichen|lösch\w*|gelöscht|entfern\w*|weg|raus|rausnehmen|nimm\b.*\b(raus|weg|von der|aus)|lass\b.*\bweg|weglassen|ohne|kein\w* mehr|nicht mehr|brauch\w*\b.*\bnicht|brauch\w*\b.*\bkein\w*|abgesagt|absagen|sag\b.*\bab|sagt\b.*\bab|storni\w*|vergiss|verzicht\w*|fällt (weg|aus)|entfällt|auslassen|ausladen|doch nicht|doch kein\w*|nicht (mehr )?(nötig|gebraucht|gewünscht)|kann (weg|entfallen|raus)|können (weg|entfallen|raus)|fällt\b.*\bweg|rauswerfen|wegfallen)\b",
        Cue.ONLY: r"\b(nur|lediglich|bloß|alles (bis )?(auf|außer)|alle (bis )?(auf|außer)|außer|ausgenommen|mit ausnahme|bis auf|sonst nichts|nichts anderes)\b",
        Cue.RESTORE: r"\b(doch (behalten|wieder|noch|mit|rein|auch|dabei|drauf)|behalt\w*|bleib\w*|wieder (rein|auf|dazu|hinzu|mit|dabei|drauf|aufnehmen)|wiederherstell\w*|wieder|doch|zurück auf)\b",
        Cue.BACK: r"\b(zurück|wieder|wie (vorher|zuvor|ursprünglich|geplant|am anfang|gehabt)|ursprünglich\w*|vorherige\w*|alte\w*|davor|vorher|zuvor|rückgängig|erste\w*|anfangs|doch)\b",
        Cue.FIRST: r"\b(ursprünglich\w*|anfangs|am anfang|zuerst|erste\w*|zu beginn|anfänglich\w*)\b",
        Cue.DONE: r"\b(erledigt|fertig|geschafft|gemacht|abgehakt|abhaken|hak\w*|(hab\w*|haben|ist|sind|wurde\w*)\b.*\b(gekauft|gepackt|gebucht|bezahlt|geputzt|gewaschen|angerufen|geschickt|bestellt|besorgt|abgeschickt|eingepackt|abgeholt|gegossen|gekocht|geschrieben|gesaugt|repariert|reserviert|eingereicht|gebacken|gestrichen|ausgefüllt|unterschrieben)|(ist|sind|wurde\w*|hab\w*)\b.*\b(ge\w+(t|en)|\w+ge\w+(t|en))|schon)\b",
        Cue.ALSO: r"\b(auch|ebenfalls|ebenso|beide\w*|sowohl|gleiche\w*|genauso|für (beide|alle)|zusätzlich)\b",
        Cue.SWAP: r"\b(statt(dessen)?|anstatt|anstelle|ersetz\w*|tausch\w*|austausch\w*|anstatt)\b",
        Cue.CHANGE: r"\b(änder\w*|doch|verschieb\w*|verleg\w*|mach\w*|setz\w*|korrigier\w*|korrektur|lieber|eigentlich|moment|sorry|entschuldigung|stimmt nicht|besser|jetzt|umbenenn\w*|nenn\w*|erhöh\w*|reduzier\w*|verdoppel\w*|halbier\w*|sondern|auf|nein|ich meine|meinte|soll\w*|später|früher|mehr|weniger)\b",
        Cue.ABSENT: r"\b(kann\b.*\bnicht|können\b.*\bnicht|keine zeit|hat keine|nicht verfügbar|nicht da|verhindert|krank|im urlaub|ausverkauft|(ist|sind) (leider )?(alle|aus|leer)\b|gibt (es )?kein\w*|kein\w*\b.*\bmehr da|erst ab|nur (bis|vor|ab)|passt nicht|beschäftigt|geschlossen|allergisch|isst kein\w*)\b",
        Cue.SPLIT: r"\b(teil\w* (\w+ )?(auf|in)|teilen|aufteil\w*|aufgeteilt|zwei (teile|gruppen|termine|treffen|hälften|schichten)|getrennt|auf zwei)\b",
        Cue.MERGE: r"\b(zusammen\w*|gemeinsam\w*|ein(en|e)? einzige\w*|vereinig\w*|zusammenleg\w*|nur ein\w*)\b",
        Cue.ALL: r"\b(alle\w*|alles|beide\w*|jede\w*|sämtliche\w*|ganze\w*|überall)\b",
        Cue.REST: r"\b(der rest|den rest|die (anderen|übrigen)|alle anderen|restliche\w*|sonst)\b",
        Cue.POINT: r"\b(es|das|ihn|sie|ihm|ihr|diese\w*|jene\w*|davon|dafür|damit|dort|er|denen)\b",
        Cue.EVER: r"\b(je|jemals|nie|niemals|vorher|zuvor|zuerst|ursprünglich\w*|früher|war|waren|wurde\w*|hatte\w*|gesagt|geändert|anfang\w*|dazwischen|erst|hab\w*|schon)\b",
        Cue.WHY: r"\b(warum|wieso|weshalb|aus welchem grund)\b",
        Cue.LIST: r"\b(alle\w*|alles|liste|übersicht|zusammenfass\w*|fass\w*|stand|bisher|aktuell\w*|noch|übrig|offen\w*|fehlt|plan|aufgaben?|zutaten|zeig\w*|wiederhol\w*|steht|stehen|daten|brauch\w*|wie ?viele?\w*|wer (kommt|ist|sind)|was (ist|sind|steht|hab\w*|kommt|muss|brauch\w*))\b",
        Cue.ADD: r"\b(hinzu\w*|füg\w*|dazu|neu\w*|noch|ergänz\w*|pack\w*|setz\w*|schreib\w*|brauch\w*|kauf\w*|plan\w*|leg\w*|erstell\w*|lad\w*|nimm|bring\w*|buch\w*)\b",
        Cue.START: (
            r"^(also,? |und |ok(ay)?,? |bitte |jetzt |außerdem |dann |hallo,? )*((kannst|könntest) du (bitte |mir )?)?((ich|wir) (will|wollen|möchte\w*|muss|müssen|plan\w*|organisier\w*|mach\w*|zieh\w*|feier\w*|veranstalt\w*|hab\w*|brauch\w* eine|fahr\w*|flieg\w*)|plan\w*|organisier\w*|erstell\w*|leg\w* .*\ban\b|neue\w*|hilf\w*|lass uns|für (den|die|das|unser\w*|mein\w*)|um .* zu|noch eine\w*|zweite\w*)"
            r"|\b(\w*liste|\w*plan|\w*reise|\w*feier|\w*party|projekt|umzug)( für \w+( \w+){0,3})?\s*[:.]?$|\b(\w*liste|\w*plan)\s*:"
        ),
    },
)

_ES = Language(
    "es",
    frozenset(
        [
            "el",
            "la",
            "los",
            "las",
            "un",
            "una",
            "unos",
            "unas",
            "de",
            "del",
            "al",
            "y",
            "o",
            "es",
            "son",
            "era",
            "fue",
            "ser",
            "yo",
            "tú",
            "mi",
            "mis",
            "nuestro",
            "nuestra",
            "me",
            "nos",
            "te",
            "se",
            "lo",
            "le",
            "con",
            "por",
            "para",
            "no",
            "en",
            "que",
            "qué",
            "cuál",
            "quién",
            "cuándo",
            "dónde",
            "cómo",
            "hay",
            "está",
            "están",
            "tengo",
            "tiene",
            "tenemos",
            "quiero",
            "necesito",
            "también",
            "pero",
            "más",
            "ya",
            "sin",
            "a",
            "su",
            "hola",
            "gracias",
            "puede",
            "pueden",
            "quita",
            "quítalo",
            "quítala",
            "quitar",
            "añade",
            "añadir",
            "pon",
            "cambia",
            "cambiar",
            "borra",
            "elimina",
            "deja",
            "todos",
            "todas",
        ]
    ),
    {
        Cue.ASK: (
            r"^[¿\s]*(y |pero |bueno,? |oye,? |espera,? |por cierto,? |ahora |entonces |a ver,? )*"
            r"(qué|que (hay|tengo|llevo|falta|queda|tenía|teníamos)|cuál\w*|quién\w*|cuándo|dónde|por qué|cómo|cuánt\w*|adónde|es|son|era|eran|fue|fueron|está|están|estaba|hay|había|tengo que|tenía|he|hemos|dije|dijimos|no (era|iba|íbamos|había|habíamos|dije|teníamos|salía)|"
            r"dime|muéstra\w*|muestra|enséña\w*|lista (todo|todos|todas|los|las|mis|el|la)|repite\w*|repíteme|resume\w*|resúme\w*|dame (un|una|la|el) (lista|resumen)|recuérdame (qué|cuál|quién|cuándo|dónde)|explica\w*|comprueba|revisa|verifica|sabes|debo|debería\w*|queda algo)\b"
            r"|\b(verdad|cierto|no|correcto)\s*\?\s*$"
        ),
        Cue.REQUEST: (
            r"^[¿\s]*(y |pero |bueno,? |oye,? |ahora |por favor,? )*((puedes|podrías|podemos|podríamos|puedo|quieres)( por favor)?|por favor,?|quiero|quisiera|me gustaría|vamos a|ayúdame a|hay que|necesito que)\s+"
        ),
        Cue.SUPPOSE: r"\b(y si|qué (pasaría|pasa) si|supongamos|supón|imagina\w*|si (yo |nosotros )?\w*(ara|iera|áramos|iéramos|ase|iese)\w*|no (estoy|estamos) (muy |del todo )?segur\w*|no sé (yo )?(si|aún|todavía)|quién sabe|igual \w+|quizás?|tal vez|a lo mejor|igual deberíamos|estoy pensando|pensando en|me pregunto|debería(mos)?|crees que|te parece|dudo|en teoría)\b",
        Cue.CLAIM: r"^(pero |y |espera,? )*((yo )?(pensaba|pensé|creía|creí|juraría|recuerdo)|(yo )?(creo|pienso) que\b.*\b(era|nunca|fue|había|estaba|dije|iba)\w*)\b",
        Cue.TALK: r"^[¡\s]*(gracias|muchas gracias|mil gracias|genial|perfecto|estupendo|hola|buen(os|as) (días|tardes|noches)|adiós|hasta (luego|pronto|mañana)|vale|ok(ay)?|muy bien|qué bien|excelente|de acuerdo|bien hecho|jaja\w*|eres (la|el|lo|un|una)? ?(mejor|genial)|cómo estás|buen trabajo|buen fin de semana|(sí|no)(?=[\s.!,]*$))\b",
        Cue.CHATTER: r"\b(jaja\w*|qué ganas|deséame suerte|qué ilusión|uf)\b",
        Cue.DELETE: r"\b(quita\w*|quít\w*|elimin\w*|borr\w*|sac(a|ar|alo|ala|alos|alas)|sáca\w*|cancel\w*|olvida\w*|olvíd\w*|descart\w*|sin|ya no|no (necesit\w*|quier\w*|hace falta|hacen falta|va|van|vien\w*)|tach\w*|suprim\w*|fuera|anul\w*)\b",
        Cue.ONLY: r"\b(sol(o|amente)|sólo|únicamente|nada más|todo menos|todos menos|todas menos|todo excepto|excepto|salvo|menos)\b",
        Cue.RESTORE: r"\b(deja\w*|déja\w*|mant(én|engamos|ener)\w*|conserv\w*|al final sí|después de todo|se qued\w*|sigue\w*|vuelve a (poner|añadir|incluir|meter)\w*|recuper\w*|restaur\w*|otra vez|de nuevo|sí (quiero|necesito|viene|va|que))\b",
        Cue.BACK: r"\b(vuelv\w*|volv\w*|volver|regres\w*|como (antes|estaba|al principio|habíamos)|original\w*|anterior\w*|deshaz|revert\w*|de nuevo|otra vez|al principio|primer\w*|inicial\w*)\b",
        Cue.FIRST: r"\b(original\w*|primer\w*|al (principio|inicio|comienzo)|inicial\w*)\b",
        Cue.DONE: r"\b((ya )?(he|hemos) (comprado|pagado|reservado|llamado|enviado|empacado|limpiado|hecho|terminado|lavado|preparado|guardado|metido|regado|recogido|mandado)|hech\w*|list\w*|terminad\w*|acabad\w*|complet\w*|ya (he|hemos|está\w*|\w+(é|í|ó|aron|ieron|amos|imos)\b|compr\w*|pagu\w*|reserv\w*|llam\w*|envi\w*|empaqu\w*|limpi\w*|hice|lav\w*|mand\w*|recog\w*)|marca\w*)\b",
        Cue.ALSO: r"\b(también|además|igualmente|amb(os|as)|mism(o|a|os|as)|para (los dos|las dos|todos|todas|ambos|ambas)|tanto)\b",
        Cue.SWAP: r"\b(en (vez|lugar) de|reemplaz\w*|sustitu\w*|cambi\w* \w+ \w* ?por|en su lugar|cambi\w* .+ por)\b",
        Cue.CHANGE: r"\b(cambi\w*|mejor|en realidad|perdón|perdona|muev\w*|mov\w*|pon\w*|pás\w*|pas(a|ar|emos)\w*|correg\w*|corrección|aplaz\w*|retras\w*|adelant\w*|espera|no,|quise decir|sino|ahora|más|menos|aument\w*|sub(e|ir)|baj(a|ar)|que sea\w*|hazl\w*|tarde|temprano|actualiz\w*|renombr\w*|llám\w*)\b",
        Cue.ABSENT: r"\b(no puede\w*|no podrá\w*|no (está|estará|están) (libre|disponible)\w*|no disponible\w*|ocupad\w*|enferm\w*|de viaje|de vacaciones|agotad\w*|no (queda\w*|hay|tenemos|tengo)|se (acab|agot|termin)\w*|sol(o|amente) (puede|está|tiene)|cerrad\w*|alérgic\w*|no llega\w*|no le viene)\b",
        Cue.SPLIT: r"\b(divid\w*|separ\w*|dos (partes|grupos|reuniones|sesiones)|repart\w*|en dos)\b",
        Cue.MERGE: r"\b(junt\w*|un(a)? (sola?|única?)|únic\w*|combin\w*|fusion\w*|unific\w*|un(e|ir))\b",
        Cue.ALL: r"\b(tod(o|a|os|as)|amb(os|as)|cada|los dos|las dos|en todas partes)\b",
        Cue.REST: r"\b(el resto|los demás|las demás|lo demás|los otros|las otras)\b",
        Cue.POINT: r"\b(lo|la|los|las|eso|esto|ese|esa|este|esta|él|ella|ellos|ellas|le|les|\w+(lo|la|los|las))\b",
        Cue.EVER: r"\b(alguna vez|nunca|jamás|antes|primero|original\w*|al principio|inicial\w*|era\w*|fue\w*|estaba\w*|había\w*|dij\w*|tenía\w*|cambi\w*|entre medio)\b",
        Cue.WHY: r"\b(por qué|por que|cuál es la razón|motivo)\b",
        Cue.LIST: r"\b(tod(o|a|os|as)|lista\w*|resumen|resum\w*|resúm\w*|hasta ahora|actual\w*|queda\w*|falta\w*|pendiente\w*|plan|tareas?|ingredientes?|muéstra\w*|muestra|repite\w*|repíteme|datos|hay|tengo|llevo|necesit\w*|quién\w* (viene|va|está)\w*|cuánt\w*)\b",
        Cue.ADD: r"\b(añad\w*|añád\w*|agreg\w*|incluy\w*|incluir|pon\w*|nuev\w*|otr(o|a)|necesit\w*|compr\w*|reserv\w*|crea\w*|plane\w*|invit\w*|llev\w*|met\w*)\b",
        Cue.START: (
            r"^[¿¡\s]*(y |bueno,? |oye,? |ahora |por favor,? |también |además,? |hola,? )*((puedes|podrías) )?((quiero|queremos|necesito|necesitamos|voy a|vamos a|tengo que|tenemos que|estoy|estamos) )?(ayúd\w* a )?(plane\w*|organiz\w*|crea\w*|prepar\w*|empez\w*|empiez\w*|haz\w*|hacer|hagamos|abr\w*|nuev\w*|otra lista|para (el|la|los|mi|nuestr\w*|hacer)|mudarnos|mudarme|celebr\w*|una? (lista|plan|viaje|fiesta|cena|reunión))"
            r"|\b(lista|plan|viaje|fiesta|proyecto|receta|mudanza|maleta)( (para|de|del|a) \w+( \w+){0,3})?\s*[:.]?$|\b(lista|plan|receta)\b[^:]*:"
        ),
    },
)

LANGUAGES = {language.code: language for language in (_EN, _DE, _ES)}

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@lru_cache(maxsize=256)
def pattern(language: str, cue: Cue) -> re.Pattern[str]:
    """The expression of a cue, for folded text."""
    return re.compile(folded(LANGUAGES[language].cues[cue]))


def folded(text: str) -> str:
    """Text as the tables have it: case-folded, plain apostrophes, single spaces."""
    plain = " ".join(text.casefold().replace("’", "'").replace("‘", "'").replace("´", "'").split())
    return _UNMARKED.sub(lambda match: _MARKED[match.group()], plain)


_MARKED = {
    word.replace("'", ""): word
    for word in "can't don't won't isn't aren't doesn't didn't wasn't weren't couldn't shouldn't wouldn't hasn't haven't i've i'm that's what's who's let's there's".split()
} 
_UNMARKED = re.compile(r"\b(" + "|".join(_MARKED) + r")\b")


def language_of(text: str, last: str = "en") -> str:
    """Code of the language that has most of its function words in the text; `last` where none leads."""
    found = _WORD.findall(text.casefold().replace("’", "'"))
    scores = {code: sum(word in language.common for word in found) for code, language in LANGUAGES.items()}
    scores["es"] += 2 * len(re.findall("[¿¡ñ]", text.casefold()))
    scores["de"] += len(re.findall("[äöüß]", text.lower()))
    best = max(scores.values())
    leading = [code for code, score in scores.items() if score == best]
    return last if last in leading or best == 0 else leading[0]


def has(cue: Cue, text: str, language: str) -> bool:
    """Whether a text of that language has the cue."""
    return find(cue, text, language) is not None


def find(cue: Cue, text: str, language: str) -> re.Match[str] | None:
    """Where the cue stands first in the folded text."""
    return pattern(language, cue).search(folded(text))


def cues(text: str, language: str) -> frozenset[Cue]:
    """All cues of a text."""
    return frozenset(cue for cue in LANGUAGES[language].cues if has(cue, text, language))
