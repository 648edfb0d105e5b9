"""Words that tell what a question asks for, in English, German and Spanish."""

from __future__ import annotations

from enum import StrEnum

from localmem.tasks.tables import words


class Want(StrEnum):
    """Kinds of values that question words ask for."""

    DATE = "date"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    NUMBER = "number"


class Sign(StrEnum):
    """What a question hints at."""

    FIRST = "first"
    """What it was at the very beginning."""
    BETWEEN = "between"
    """What it was between two others."""
    BEFORE = "before"
    """What it was before, or what it replaced."""
    ALL_PAST = "all_past"
    """All that it ever was."""
    WHEN = "when"
    """In which turn something happened."""
    LEAST = "least"
    """The smallest of the past values."""
    MOST = "most"
    """The largest of them."""
    LISTS = "lists"
    """A list."""
    WHOLE = "whole"
    """All of a task."""
    UNFINISHED = "unfinished"
    """What is still to be done."""
    FINISHED = "finished"
    """What is done, perhaps."""
    SURELY_FINISHED = "surely_finished"
    """What is done."""
    NEGATED = "negated"
    """Says not, or never."""
    JUDGES = "judges"
    """Asks for an opinion, which no note holds."""
    REMOVES = "removes"
    """Speaks of removing."""
    CHANGES = "changes"
    """Speaks of changing."""
    PARTS = "parts"
    """Speaks of several parts."""
    OWN = "own"
    """Speaks of what the user plans, not of the world."""
    MEMBERSHIP = "membership"
    """Whether something is on the list, or somebody comes."""
    ALWAYS = "always"
    """Whether it was so all the time."""
    SUPPOSES = "supposes"
    """A hypothesis."""
    EVER = "ever"
    """Whether it was so at any time."""


QUESTION_WORDS = {
    "en": r"\b(what|what's|whats|which|who|who's|whos|whose|whom|when|when's|where|where's|why|how)\b",
    "de": r"\b(was|welche\w*|wer|wen|wem|wessen|wann|wo|wohin|woher|warum|wieso|weshalb|wie|wieviel\w*)\b",
    "es": r"\b(qué|cuál\w*|quién\w*|cuándo|dónde|adónde|cómo|cuánt\w*)\b|^[¿\s]*(y )?que (hay|tengo|llevo|falta|queda|tenía|teníamos)\b",
}
WANTS = {
    Want.DATE: r"\b(when|what day|which day|what date|which date|day|date|wann|welche[rnm]? tag|tag|wochentag|datum|cuándo|qué día|día|fecha)\b",
    Want.TIME: r"\b(when|what time|which time|time|hour|o'clock|wann|uhrzeit|wie viel uhr|wieviel uhr|um welche zeit|cuándo|qué hora|hora)\b",
    Want.PERSON: r"\b(who|who's|whos|whom|whose|wer|wen|wem|wessen|quién\w*)\b",
    Want.PLACE: r"\b(where|where's|wo|wohin|woher|dónde|adónde|place|venue|location|ort|lugar)\b",
    Want.NUMBER: r"\b(how (many|much)|wie ?viele?|cuánt\w*)\b",
}
SLOTS = {
    Want.DATE: r"\b(date|day|when|deadline|due|datum|tag|termin|frist|fecha|día|plazo)\b",
    Want.TIME: r"\b(time|hour|when|uhrzeit|zeit|uhr|hora)\b",
    Want.PERSON: r"\b(person|people|guest|participant|attendee|member|owner|who|name|teilnehmer|gast|gäste|invitad\w*|persona|participante)s?\b",
    Want.PLACE: r"\b(place|location|venue|meeting point|where|room|address|city|destination|ort|treffpunkt|raum|adresse|stadt|ziel|lugar|punto de encuentro|sala|dirección|ciudad|destino)\b",
    Want.NUMBER: r"\b(number|count|quantity|amount|anzahl|menge|cantidad|número)\b",
}
PAST = {
    "en": r"\b(was|were|wasn't|weren't|had|hadn't|did|didn't|been|ever|never|before|first|original\w*|initial\w*|earlier|previous\w*|used to|in between|between|history|former\w*|so far|began|started|replace\w*|instead of|changed?|removed?|said|told|mentioned|went through|gone through)\b",
    "de": r"\b(war|waren|warst|hatte\w*|wurde\w*|kam(en)?|gab|stand(en)?|je|jemals|nie|niemals|vorher|zuvor|zuerst|davor|ursprünglich\w*|früher|anfang\w*|anfangs|dazwischen|ersetz\w*|geändert|gesagt|erwähnt|bisher|vor (dem|der|den)|statt|nannte\w*|sollte\w*|wollte\w*)\b",
    "es": r"\b(era\w*|fue\w*|estaba\w*|estuv\w*|había\w*|dij\w*|tenía\w*|tuv\w*|iba\w*|íbamos|alguna vez|nunca|jamás|antes|primero|original\w*|principio|inicial\w*|entre medi\w*|reemplaz\w*|cambi\w*|hasta ahora|anterior\w*|quitamos|quité|pus(e|imos))\b",
}
SIGNS = {
    Sign.FIRST: r"\b(original\w*|initial\w*|first|at the (start|beginning)|in the beginning|began|begin with|started|start with|ursprünglich\w*|anfang\w*|anfänglich\w*|zuerst|zunächst|zu beginn|als erstes|erste[nrs]?|principio|primer\w*|inicial\w*|comienzo)\b",
    Sign.BETWEEN: r"\b(in between|between|meanwhile|in the middle|dazwischen|zwischendurch|zwischen|entre medi\w*|entre tanto|entre)\b",
    Sign.BEFORE: r"\b(before|replace\w*|instead( of)?|in place of|previous\w*|prior|vor (dem|der|den)|vorher|davor|zuvor|statt|ersetz\w*|antes|anterior\w*|reemplaz\w*|sustitu\w*|en (lugar|vez) de)\b",
    Sign.ALL_PAST: r"\b(how (often|many times)|history|so far|go(ne)? through|went through|wie oft|verlauf|bisher|alle\w* .*(werte|versionen)|cuántas veces|historial|hasta ahora)\b",
    Sign.WHEN: r"\b(when (did|was|were|have|had)|which turn|wann (hab\w*|hatte\w*|wurde\w*|war)|in welcher nachricht|cuándo (cambi\w*|dij\w*|quit\w*|añad\w*|pus\w*|se))\b",
    Sign.LEAST: r"\b(lowest|least|smallest|minimum|min|earliest|niedrigste\w*|wenigste\w*|kleinste\w*|minimal\w*|menor|más baj\w*|mínim\w*)\b",
    Sign.MOST: r"\b(highest|most|largest|biggest|maximum|max|latest|höchste\w*|meiste\w*|grösste\w*|maximal\w*|mayor|más alt\w*|máxim\w*)\b",
    Sign.LISTS: (
        r"\b(everything|all|list|overview|summary|summari[sz]e|recap|status|so far|complete|whole|full|repeat|show|read|plan|details|information|current\w*|"
        r"alle\w*|liste|übersicht|zusammenfass\w*|fass|lies|stand|bisher|zeig\w*|wiederhol\w*|aktuell\w*|"
        r"todo|todos|todas|lista|resumen|resum\w*|resúm\w*|repite\w*|repíte\w*|muestra|muéstra\w*|actual\w*|lee\w*|léeme)\b"
    ),
    Sign.WHOLE: r"\b(everything|all|overview|summary|summari[sz]e|complete|whole|full|entire|alles|übersicht|zusammenfass\w*|ganze\w*|komplett\w*|vollständig\w*|todo|resumen|resúm\w*|complet[oa])\b",
    Sign.UNFINISHED: (
        r"\b(open|left|remaining|remains?|outstanding|pending|unfinished|still (need|have|to|not|miss\w*)|to[ -]do|missing|not (yet )?(done|finished|packed|bought|booked|ready|\w+ed) ?(yet)?|haven't|hasn't|have to|need to|next|"
        r"offen\w*|übrig|fehlt|fehlen|noch (nicht|zu|tun|machen|kein\w*)|muss|müssen|ausstehend\w*|"
        r"falta\w*|queda\w*|pendiente\w*|por (hacer|meter|comprar|\w+[aei]r)|sin hacer|todavía)\b"
    ),
    Sign.FINISHED: r"\b(done|finished|completed?|packed|ticked|checked off|already|erledigt|fertig|geschafft|abgehakt|schon|hech[oa]s?|terminad[oa]s?|listos?|ya)\b",
    Sign.SURELY_FINISHED: r"\b(done|finished|completed|packed|ticked|erledigt|fertig|geschafft|abgehakt|hech[oa]s?|terminad[oa]s?)\b",
    Sign.NEGATED: r"\b(not|never|no|none|nie|niemals|nicht|kein\w*|nunca|jamás)\b|n't\b",
    Sign.JUDGES: r"\b(could|can|should|would|may|might|afford|könn\w*|soll(te)?n?|würde\w*|podr\w*|puedo|podemos|deber\w*|really|honestly|even|worth|enough|necessary|actually need|too (late|early|many|much|long|big|small|expensive)|good|bad|wirklich|überhaupt|genug|lohnt|zu (spät|früh|viel\w*|teuer|lang\w*)|realmente|de verdad|suficiente\w*|demasiad\w*|vale la pena|hace falta)\b",
    Sign.REMOVES: r"\b(remov\w*|delet\w*|drop\w*|cancel\w*|scrap\w*|throw|threw|thrown|took|take (\w+ )?(off|out)|ditch\w*|leave out|left out|get rid|got rid|cut|strike|kick\w*|entfern\w*|gelöscht|lösch\w*|gestrichen|streich\w*|rausgenommen|raus|weg|abgesagt|quit\w*|elimin\w*|borr\w*|sacar|saqué|sacamos|cancel\w*)\b",
    Sign.CHANGES: r"\b(chang\w*|replac\w*|swap\w*|switch\w*|mov\w*|updat\w*|ersetz\w*|änder\w*|geändert|getauscht|verschoben|verschieb\w*|verlegt|cambi\w*|reemplaz\w*|sustitu\w*|mov\w*)\b",
    Sign.PARTS: r"\b(how many|wie ?viele|cuánt[oa]s) (parts?|sessions?|groups?|teile|gruppen|partes|grupos)\b|\b(separate|getrennt\w*|separad\w*) (part|session|group|meeting|gruppe|grupo)\b|\b(two|three|2|3|several|multiple|both|split|separate|zwei|drei|mehrere|beide|aufgeteilt|getrennt|dos|tres|varias|varios|divid\w*|separad\w*)\b.{0,16}\b(parts?|sessions?|groups?|meetings?|halves|slots?|times|tables?|teile|gruppen|termine|treffen|stunden|partes|grupos|reuniones|sesiones)\b|\b(split|divided|aufgeteilt|zweigeteilt|divid\w*)\b",
    Sign.OWN: r"\b(i|i'm|we|we're|my|our|us|me|am|it|there|this|that|ich|wir|mein\w*|unser\w*|uns|es|da|das|davon|yo|mi|mis|nuestr\w*|nos|tengo|tenemos|eso|esto|vamos)\b",
    Sign.MEMBERSHIP: r"\b(on (the|my|our) (list|plan|menu|agenda)|in (the|my|our) (cart|list|plan|basket)|coming|invited|attending|joining|part of|included|(do|did|have|had) (we|i)\b.*\b(have|got|any)?|(auf|in) der liste|dabei|kommt|kommen|(hab\w*|hatt\w*) (wir|ich)|en la lista|viene\w*|tenemos|tengo|teníamos|hay)\b",
    Sign.ALWAYS: r"\b(always|all along|the whole time|immer|schon immer|die ganze zeit|siempre|desde siempre)\b",
    Sign.SUPPOSES: r"\b(what (happens|would happen) (if|when)|if (i|we|he|she|they|it|you)|was passiert,? wenn|wenn (ich|wir|er|sie|es)|(y|qué pasa) si)\b",
    Sign.EVER: r"\b(ever|at (some|any) point|je|jemals|mal|irgendwann|alguna vez)\b",
}
"""Expressions for folded text, of all languages at once."""
EMPTY = words(
    """
    attend attending attends join joining joins invited invite point some irgendwann teilnimmt teilnehmen eingeladen asiste asisten
    participa momento cooking sure everyone everybody
    cancel cancelled canceled cancels swap swapped
    ever always immer siempre still again currently now quick recap actually tell show list everything all many much often got say
    said mentioned mention originally original first initially initial earlier previously previous before between begin began
    beginning start started chosen chose choose pick picked set happened happen part parts coming come going go goes gone take
    takes took bring put puts decide decided current status left remaining open done finished yet already anything something
    nothing else also too rest double check double-check remember know sure think thought please read repeat remind overview
    summary summarize complete plan whole full time day date who's what's where's when's so far each well right correct ok okay
    hey by way wasn't weren't isn't aren't don't doesn't didn't haven't hasn't hadn't wouldn't shouldn't couldn't am been being
    having if me us him her them their they he she it's i'm we're about as than or yes no up out over down off onto into next
    change changed changes replace replaced instead remove removed delete deleted drop dropped throw threw thrown used use uses
    supposed meant include included number numbers total amount exactly really honestly even does lately ago why reason shows
    showing never never-ever anymore longer had have has get need needs want wants wanted meet called call moved make made stay
    stand stands look looks like noch mal nochmal nochmals eigentlich gerade jetzt aktuell alles alle liste zeig zeige sag nenn
    lies lesen vor vorher zuvor zuerst davor ursprünglich anfang anfangs dazwischen je jemals nie niemals schon steht stehen kam
    kommt kommen gesagt geändert ersetzt gab gibt hatten hatte habe brauch brauche brauchen muss müssen offen übrig fehlt fehlen
    erledigt fertig bisher übersicht zusammenfassung wurde wurden worden werden wird sich sind davon dafür tag wochentag welcher welche welches statt anstatt anstelle
    wieder sollte sollten wollte wollten weg entfernt gestrichen dabei drin drauf warum wieso denn überhaupt wirklich stimmt
    richtig era eran fue fueron estaba estaban había habían iba iban ir venir vienen viene antes principio originalmente primero
    primera entre medias todo todos todas lista muéstrame muestra dime repite resumen falta faltan queda quedan pendiente
    pendientes meter hacer hecho hechas ahora todavía aún alguna vez nunca dije dijimos puse tenía teníamos tengo tenemos llevo
    llevar necesito día hora fecha quiénes quienes cuántas cuántos cuánto cuánta cuáles cuál verdad cierto otra nuevo cambió
    cambié cambiamos quité quitamos reemplazó mismo eso esto ese esa pone puesto
    """
)
"""What questions are made of: words that name nothing."""
