"""Spanish: function words and cues."""

from __future__ import annotations

from localmem.tasks.language import Cue, Language
from localmem.tasks.tables import words

SPANISH = Language(
    "es",
    words(
        """
        el la los las un una unos unas de del al y o es son era fue ser yo tú mi mis nuestro nuestra me nos te
        se lo le con por para no en que qué cuál quién cuándo dónde cómo hay está están tengo tiene tenemos
        quiero necesito también pero más ya sin a su hola gracias puede pueden quita quítalo quítala quitar
        añade añadir pon cambia cambiar borra elimina deja todos todas
        """
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
