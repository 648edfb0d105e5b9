"""German: function words and cues. Among the function words are those of short orders, which have no others."""

from __future__ import annotations

from localmem.tasks.language import Cue, Language
from localmem.tasks.tables import words

GERMAN = Language(
    "de",
    words(
        """
        der die das den dem des ein eine einen einem einer und oder ist sind war waren sein ich wir du sie es
        mein meine meinen unser unsere mir mich uns mit von nicht kein keine für auf im am um zu zum zur bei
        aus nach kann will würde soll was welche welcher wer wann wo warum wie doch bitte auch noch nur mal
        hab habe haben hat wird werden uhr danke hallo guten alles streich streiche lösch lösche füg füge
        hinzu nimm wieder weg raus statt
        """
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
        Cue.DELETE: r"\b(streich(e|en|t ihr)?|gestrichen|lösch\w*|gelöscht|entfern\w*|weg|raus|rausnehmen|nimm\b.*\b(raus|weg|von der|aus)|lass\b.*\bweg|weglassen|ohne|kein\w* mehr|nicht mehr|brauch\w*\b.*\bnicht|brauch\w*\b.*\bkein\w*|abgesagt|absagen|sag\b.*\bab|sagt\b.*\bab|storni\w*|vergiss(?! (?:bitte )?nicht)(?!.* nicht\b)|verzicht\w*|fällt (weg|aus)|entfällt|auslassen|ausladen|doch nicht|doch kein\w*|nicht (mehr )?(nötig|gebraucht|gewünscht)|kann (weg|entfallen|raus)|können (weg|entfallen|raus)|fällt\b.*\bweg|rauswerfen|wegfallen)\b",
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
