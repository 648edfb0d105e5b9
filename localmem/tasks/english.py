"""English: function words and cues."""

from __future__ import annotations

from localmem.tasks.language import Cue, Language
from localmem.tasks.tables import words

ENGLISH = Language(
    "en",
    words(
        """
        the a an of to in on at for and or is are was were be i we you it my our me this that with from not do
        does did have has had can will would should what which who when where why how there's it's i'm let's
        don't please just no he she they them his her all there
        """
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
            r"\b(remov\w*|delet\w*|eras\w*|omit\w*|get rid|chuck\w*|bin|can go\b|had better go|crossed off|(be )?left out|with the exception|(is|are) (out|off)(?! of)\b|(isn\'t|aren\'t|is not|are not|no longer|not) (wanted|needed|required|necessary)|no \w+( \w+)? (needed|required|necessary)|drop(s|ped|ping)?|cancel\w*|scrap\w*|ditch\w*|skip\w*|(?<!n't )(?<!not )(?<!never )forget( about)?|get rid|take (\w+ ){0,4}(off|out)|cut|strike|cross (\w+ ){0,4}(off|out)|leave (\w+ ){0,4}out|lose|without|no more|not? longer|no need|"
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
            r"\b(done|finish\w*|complet\w*|already|check(ed)? (\w+ ){0,3}off|tick(ed)? (\w+ ){0,3}off|(i|we|he|she|they)('ve| have|'s| has)? (just |already |now |finally )?(packed|bought|booked|called|sent|paid|washed|cleaned|ordered|picked|fixed|emailed|mailed|submitted|got(?! (?:that|it|this) wrong)|made|taken|took|cooked|baked|watered|painted|written|wrote|read|signed|filled|printed|returned|dropped off|delivered|installed|mowed|vacuumed|did|planted|prepared|confirmed|reserved|rehearsed|practi[sc]ed|ironed|tidied|set up|mark\w*)|"
            r"(is|are) (all )?(packed|booked|paid|bought|sent|sorted|ready|over|set|settled|in the bag|ticked|handled|taken care)|mark (\w+ ){0,5}(as )?(done|complete\w*|finished)|sorted|taken care of|(?<!not )(is|are|'s|has been|have been|got) (now |all |already |both )*(?!need|cancel|delay|mov|chang|suppos|call|nam|plann|schedul|invit|allow|remov|requir)\w+(ed|wn|ght)|(passed|written|sown|dug|hung|tagged|sent|packed|booked|paid|bought))\b"
            r"|^(and |ok(ay)?,? |so |just |already |finally |also |oh )*(?!need|add)(\w{2,}ed|bought|sent|paid|made|got(?! (?:that|it|this) wrong)|wrote|did|took|sold|built|cut|swept|hung|sewn|sown) (up |off |out |in )?(the|both|all|my|our|it|them|that|those|\w+s)\b"
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
