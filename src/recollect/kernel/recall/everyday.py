"""Everyday words that are asked for with one and told with another, in three languages.

The rule: a line of the table holds what people use for one another when they speak of a life: of
work, home, family, health, food, travel, money, time. A word of a question also finds the other
words of its line, for a third. The table is our own; what the embedding knows to be near is not in
it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from recollect.kernel.recall.words import LANGUAGES, stem
from recollect.kernel.search.tokens import tokens

_LINES: Final = """
work works job profession occupation employed employs employer career company firm arbeit
arbeitet arbeiten beruf beruflich angestellt firma trabaja trabajo empleo empleado profesion
empresa;
boss manager supervisor reports chef chefin vorgesetzte vorgesetzter jefe jefa;
live lives home house address residence town city moved relocate relocated resides wohnt wohnen
wohnort lebt zuhause haus stadt umgezogen zog vive vivir casa ciudad domicilio mudo reside;
born birthplace native comes geboren geburtsort stammt herkunft nacido nacio nacida origen;
married wife husband spouse wedding partner verheiratet ehemann ehefrau frau mann heirat
hochzeit casado casada esposo esposa marido boda;
divorced ex divorce separated geschieden scheidung divorciado divorciada divorcio;
child children kid kids son daughter kind kinder sohn tochter hijo hija hijos;
parent parents mother father mom dad eltern mutter vater padres madre padre;
met meet know knows kennengelernt traf kennen conocio conocer conocen;
pet dog cat animal haustier hund katze tier mascota perro gato animal;
eat eats food dish meal diet cook favourite favorite isst essen gericht speise liebsten
lieblings come comer comida plato favorito favorita;
drink drinks coffee tea beverage trinkt trinken getrank bebe beber bebida;
meat vegetarian vegan fleisch vegetarier vegetarierin carne vegetariano vegetariana;
allergic allergy intolerant avoid allergisch allergie vertragt alergico alergica alergia;
afraid fear fears scared phobia angst furchtet miedo teme;
like likes love loves enjoy enjoys fond favourite favorite mag liebt gern gerne gusta ama
encanta;
dislike dislikes hate hates stand detests hasst verabscheut odia detesta;
ill illness sick disease condition diagnosis diabetes cancer asthma suffers krank krankheit
leidet enfermo enferma enfermedad padece;
medicine medication drug pill takes treatment medikament tablette nimmt arznei medicamento
pastilla toma;
injured injury hurt broke broken accident verletzt verletzung brach gebrochen unfall lesion
herido rompio accidente;
doctor physician hospital clinic arzt arztin krankenhaus klinik medico medica hospital clinica;
study studied college university degree school graduated student learn learns learning studies
studiert studierte universitat hochschule schule lernt estudio estudia universidad escuela
aprende;
language speak speaks fluent sprache spricht sprechen idioma lengua habla;
boat ship vessel sailing boot schiff segelboot barco velero;
money cost costs price pay pays owes debt rent salary earn earns geld kostet preis zahlt
schulden miete gehalt verdient dinero cuesta precio paga debe alquiler sueldo gana;
holiday vacation trip travel travelled traveled visited journey urlaub reise gereist besuchte
viaje vacaciones viajo visito;
music instrument play plays band orchestra concert musik instrument spielt orchester musica
instrumento toca orquesta;
sport run ran race marathon running exercise football tennis gym lauf lief rennen laufen carrera
corrio corre deporte;
team club supports fan verein mannschaft equipo;
hobby hobbies pastime spare leisure weekend weekends saturday saturdays sunday sundays hobby
freizeit wochenende aficion pasatiempo ocio;
book books read reads novel reading buch bucher liest roman libro libros lee novela;
volunteer volunteers help helps free charity ehrenamt ehrenamtlich hilft voluntario voluntaria
ayuda;
quit stopped gave aufgehort aufgegeben dejo;
plan plans intends will going want wants plant vor plane quiere planea;
break leave sabbatical pause auszeit descanso excedencia;
phone telephone mobile number telefon handy nummer telefono movil numero;
ear hearing hears deaf ohr hort taub oido oye sordo;
eye eyes glasses sees augen brille sieht ojos gafas ve;
tall height size gross grosse altura alto talla;
computer laptop machine rechner ordenador;
project task projekt aufgabe proyecto tarea;
meeting appointment date termin treffen besprechung reunion cita;
deadline due until frist plazo
"""


@lru_cache(1)
def _lines() -> dict[str, frozenset[str]]:
    """Return the stems of the lines that each stem stands in."""
    found: dict[str, frozenset[str]] = {}
    for line in _LINES.split(";"):
        stems = frozenset(stem(word, one) for word in tokens(line) for one in LANGUAGES)
        for one in stems:
            found[one] = found.get(one, frozenset()) | stems
    return found


def kin_of(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems of words that say what a word with these stems says, in order.

    >>> "employ" in kin_of(("work",))
    True
    """
    lines = _lines()
    return tuple(sorted({kin for one in stems for kin in lines.get(one, ())} - set(stems)))
