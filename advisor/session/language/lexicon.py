"""The meanings of the words in a typed question: concepts, things and GPUs, found after spelling correction.

The vocabulary is `knowledge/language/`, the names of metrics, findings, stall reasons and GPUs, and the kernels of the
report. A text is split into tokens; the tokens are corrected against all known words and compared without endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.records.questions import Subject

_LONGEST: Final = 400  # characters of a question that are read
_MOST_WORDS: Final = 7  # words of the longest phrase of the vocabulary
_WHOLE: Final = frozenset(
    (
        *("missing", "reasoning", "backing", "meaning", "nothing", "something", "anything", "during", "doubled"),
        *(
            "doubling",
            "feeling",
            "feelings",
            "note",
            "site",
            "sine",
            "here",
            "were",
            "bare",
            "care",
            "wide",
            "rate",
            "mine",
        ),
        *("none", "wine", "mode"),
    )
)
SKIPPED: Final = frozenset(
    (
        "a",
        "an",
        "the",
        "of",
        "per",
        "just",
        "actually",
        "simply",
        "very",
        "quite",
        "exactly",
        "basically",
        "kindly",
        "please",
    )
)
# Concepts of subjects that the program does not know: a typing error is never corrected to one of their words.
ELSEWHERE: Final = frozenset(("chat", "shopping", "languages", "other_software", "install", "career", "greeting"))
_PRONOUNS: Final = frozenset(("it", "this", "that", "me", "us", "my", "our", "your", "its", "here", "these", "those"))
_ARTICLES: Final = frozenset(("the", "my", "our", "its", "your", "a", "an"))
_TOKEN: Final = re.compile(
    r"[\w./-]+\.(?:ncu-rep|ncu-repz|csv|sqlite|jsonl)\b"  # a file
    r"|(?<!\w):?-{1,2}[a-z][\w-]*|:\w+!?"  # an option of a program, a command of vi
    r"|#\d+"
    r"|\d+(?:[.,]\d+)*(?:%|\w+)?"
    r"|[^\W\d]\w*(?:\.[^\W_]\w*)*(?:\+\+)?"
    r"|[=%?]"
)
_NAME: Final = re.compile(r"[^\W\d]\w*[a-z0-9]_\w+|[a-z]+[0-9]+[a-z]*_?\w*|[a-z]+[A-Z]\w+")
_FILE: Final = re.compile(r"[\w./-]+\.(?:ncu-rep|ncu-repz|csv|sqlite|jsonl)")
_COUNTER: Final = re.compile(r"[a-z]\w*[a-z0-9]__[\w.]+")
_NOT: Final = re.compile(
    r"\b(do|does|did|is|are|was|were|could|should|would|has|have|had|ca|wo)n['’]t\b", re.IGNORECASE
)
_SHORT: Final = re.compile(r"\b(what|where|who|how|that|it|there|here|why|which|when)['’]s\b", re.IGNORECASE)
_ENDED: Final = (
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'d", " would"),
    ("'m", " am"),
    ("let's", "let us"),
)
_GPU: Final = re.compile(r"(?:rtx|gtx|gh|gb|mi|[ahlvtpb])?\d{2,4}(?:ti|s|x|super|sxm|pcie)?")
_FAMILY: Final = re.compile(r"^(?:(?:nvidia|geforce|tesla|quadro) )*(?:rtx|gtx)? ?")


class _Thing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of things.yaml. limiters: what limits the occupancy -> the finding that is then meant."""

    names: tuple[str, ...] = ()
    fault: tuple[str, ...] = ()
    value: tuple[str, ...] = ()
    unit: str = ""
    metric: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    limiters: dict[str, str] = {}
    word: str = ""


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file words.yaml."""

    grammar: tuple[str, ...]
    abbreviations: dict[str, str]


class Known(Struct, frozen=True):
    """What can be named beside the vocabulary.

    metrics: (spoken name, metric id); findings: id to title; terms: ids that `explain` knows; gpus: (name, id);
    kernels: names of kernels; entries: all ids that `explain` knows.
    """

    metrics: tuple[tuple[str, str], ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    terms: tuple[str, ...] = ()
    gpus: tuple[tuple[str, str], ...] = ()
    kernels: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


class Sentence(Struct, frozen=True):
    """A question, read word by word.

    words: its corrected tokens; concepts: the names of the meanings in it; things: what it is about, in order; gpu: the
    id or name of a GPU; name: a kernel or a word like one; numbers: its numbers; file: a file; foreign: unknown words;
    content: number of words that carry meaning; bare: it consists of what it is about; article: the word before that;
    spans: the places of each meaning, of the things as `thing`; weighty: the places of words that are no grammar.
    """

    text: str
    words: tuple[str, ...] = ()
    concepts: frozenset[str] = frozenset()
    things: tuple[Subject, ...] = ()
    gpu: str = ""
    name: str = ""
    numbers: tuple[str, ...] = ()
    file: str = ""
    foreign: tuple[str, ...] = ()
    content: int = 0
    bare: bool = False
    article: str = ""
    spans: tuple[tuple[str, frozenset[int]], ...] = ()
    weighty: frozenset[int] = frozenset()


class _Lexicon(Struct):
    """All phrases by their stems. words: known words; elsewhere: those of other subjects alone; things: by id."""

    phrases: dict[tuple[str, ...], list[tuple[str, str]]] = field(default_factory=dict)
    things: dict[str, Subject] = field(default_factory=dict)
    words: dict[str, None] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    stems: set[str] = field(default_factory=set)
    gpus: dict[str, str] = field(default_factory=dict)

    def add(self, phrase: str, kind: str, name: str) -> None:
        """Add a phrase of a concept (kind `concept`) or of a thing (its form)."""
        words = tokens(phrase)
        key = tuple(stem(token) for token in words if token not in SKIPPED)
        if not key or len(key) > _MOST_WORDS or words[0] in SKIPPED or words[-1] in SKIPPED:
            return  # without the skipped word it would mean something else
        found = self.phrases.setdefault(key, [])
        if (kind, name) not in found:
            found.append((kind, name))
        for token in words:
            self.know(token)

    def add_new(self, phrase: str, kind: str, name: str) -> None:
        """Add a phrase to a thing unless another thing has it."""
        key = tuple(stem(token) for token in tokens(phrase) if token not in SKIPPED)
        if key and all(found == "concept" for found, _ in self.phrases.get(key, ())):
            self.add(phrase, kind, name)

    def know(self, token: str) -> None:
        """Add a word that is no typing error."""
        self.words[token] = None
        self.stems.add(stem(token))


def _file(name: str, kind: Any) -> Any:
    return load(resources.folder("knowledge") / "language" / f"{name}.yaml", kind)


def concepts() -> dict[str, list[str]]:
    """Return the concepts and their words. Raises KnowledgeError with file and line."""
    made: dict[str, list[str]] = _file("concepts", dict[str, list[str]])
    return made


def things() -> dict[str, _Thing]:
    """Return the things that a question can be about. Raises KnowledgeError with file and line."""
    made: dict[str, _Thing] = _file("things", dict[str, _Thing])
    return made


@lru_cache(maxsize=1)
def _words() -> _Words:
    made: _Words = _file("words", _Words)
    return made


@lru_cache(maxsize=4)
def _lexicon(known: Known) -> _Lexicon:
    out = _Lexicon()
    order = sorted(concepts().items(), key=lambda item: item[0] in ELSEWHERE)
    for name, words in order:
        for spoken in words:
            new = {word for word in tokens(spoken) if word not in out.words}
            out.add(spoken, "concept", name)
            out.elsewhere |= new if name in ELSEWHERE else set()
    of_finding: dict[str, str] = {}
    of_metric: dict[str, str] = {}
    for name, entry in things().items():
        out.things[name] = Subject(name, "", "name", entry.unit, entry.metric, entry.findings, entry.word)
        for form, spoken_names in (("fault", entry.fault), ("value", entry.value), ("name", entry.names)):
            for spoken in spoken_names:
                out.add(spoken, form, name)
        for finding in entry.findings[:1]:
            of_finding.setdefault(finding, name)
        for metric in entry.metric[:1]:
            if entry.word == metric or metric not in of_metric:
                of_metric[metric] = name
    for finding, title in known.findings:
        name = of_finding.get(finding, finding)
        out.things.setdefault(name, Subject(name, findings=(finding,), word=finding))
        for spoken in (finding.replace("_", " "), finding, title):
            out.add(spoken, "fault", name)
    stalls = {f"stall_{term}{end}": term for term in known.terms for end in ("_pct", "")}
    for phrase, metric in known.metrics:
        if "_" not in metric:
            continue  # too common a word
        name = stalls.get(metric) or of_metric.get(metric, metric)
        if name not in out.things:
            word = name if metric in stalls else metric
            out.things[name] = Subject(
                name, metrics=(metric, *(() if word == metric else (f"stall_{name}",))), word=word
            )
        form = "name" if metric in stalls else "value"
        if " " in phrase or "__" in phrase:
            out.add_new(phrase, form, name)
        out.add(metric, form, name)
    for word in (*_words().grammar, *(w for text in _words().abbreviations.values() for w in text.split())):
        out.know(word)
    for term in known.terms:
        spoken = term.replace("_", " ").replace(".", " ")
        if " " in spoken or (len(term) > 3 and term.islower() and stem(term) not in out.stems):
            out.things.setdefault(term, Subject(term, word=term))
            out.add_new(spoken, "name", term)
    for name, gpu in known.gpus:
        for spelling in (name, _FAMILY.sub("", name.casefold().replace("-", " "))):
            out.gpus.setdefault(_squeezed(spelling), gpu)
    return out


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.casefold())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without a plural or verb ending, for comparison only."""
    if len(word) <= 3 or not word.isalpha() or word in _WHOLE:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word


def _plain(text: str) -> str:
    """Return the text in lower case with contractions and abbreviations written out."""
    text = text[:_LONGEST].replace("’", "'").replace("`", "'")
    text = _NOT.sub(lambda m: {"ca": "can", "wo": "will"}.get(m[1].lower(), m[1]) + " not", text)
    text = _SHORT.sub(r"\1 is", text)
    for ended, whole in _ENDED:
        text = text.replace(ended, whole)
    return re.sub(r"(?<=[a-zA-Z])'s\b|(?<=[a-zA-Z])/(?=[a-zA-Z]{2})", " ", re.sub(r"\bw/(?!o)", "with ", text))


def tokens(text: str) -> list[str]:
    """Return the tokens of a phrase of the vocabulary, in lower case."""
    return [token for token, _ in _split(text)]


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Yield each token in lower case, and as it was typed; a word with hyphens gives several tokens."""
    for match in _TOKEN.finditer(re.sub(r"(?<=\w)-(?=[^\W\d]\w*)(?!rep)", " ", text)):
        word = match[0]
        yield word.casefold(), word


@lru_cache(maxsize=1)
def _meant() -> frozenset[str]:
    return frozenset(part for phrase in _lexicon(Known()).phrases for part in phrase)


def has_meaning(word: str) -> bool:
    """Return whether a word is part of a phrase of the vocabulary: of a metric, a cause, a concept."""
    return word in SKIPPED or stem(word) in _meant()


def read(text: str, known: Known) -> Sentence:
    """Return the words of a question and their meanings. Pure; takes a few milliseconds."""
    lexicon = _lexicon(known)
    kernels = {kernel.casefold(): kernel for kernel in known.kernels}
    words: list[str] = []
    raw: list[str] = []
    abbreviations = _words().abbreviations
    for token, typed in _split(_plain(text)):
        whole = abbreviations.get(token) or _parted(token, lexicon)
        for part in whole.split() if whole else (token,):
            words.append(part)
            raw.append(typed)
    if words and set(words) == {"?"}:
        words, raw = ["help"], ["help"]
    counters = [(Subject(word, word, word=word), (at,)) for at, word in enumerate(words) if _is_counter(word, lexicon)]
    gpu, of_gpu = _gpu(words, lexicon)
    name, of_name = _name(words, raw, kernels, lexicon, of_gpu)
    file = next((typed for typed in raw if _FILE.fullmatch(typed)), "")
    fixed = [
        word if at in of_gpu or at == of_name or word in kernels else _corrected(word, lexicon)
        for at, word in enumerate(words)
    ]
    numbers = tuple(word for at, word in enumerate(fixed) if word[:1].isdigit() and at not in of_gpu)
    places = [at for at, word in enumerate(fixed) if word not in SKIPPED and at not in of_gpu and at != of_name]
    without = [at for at in places if fixed[at] not in _PRONOUNS]
    found = {*_matches(fixed, places, lexicon), *_matches(fixed, without, lexicon)}
    of_counters = {at for _, place in counters for at in place}
    chosen = _with_opcodes(_things(found, fixed, lexicon), _opcodes(raw, known))
    chosen = sorted([*counters, *(item for item in chosen if not of_counters & set(item[1]))], key=lambda item: item[1])
    inside = {at for _, span in chosen if len(span) > 1 for at in span}
    of_concepts = {
        (meaning, span)
        for kind, meaning, span in found
        if kind == "concept" and (meaning == "not" or len(span) > 1 or not set(span) <= inside)
    }
    meant = {at for _, span in (*of_concepts, *chosen) for at in span} | of_gpu | {of_name}
    grammar = set(_words().grammar)
    unknown = [
        at
        for at, word in enumerate(fixed)
        if at not in meant and word not in grammar and word not in SKIPPED and len(word) > 1 and word[:1].isalpha()
    ]
    foreign = tuple(fixed[at] for at in unknown)
    in_things = {at for _, span in chosen for at in span}
    rest = [
        word for at, word in enumerate(fixed) if at not in in_things and word not in (*SKIPPED, "?", "please", "=", "%")
    ]
    content = [word for word in fixed if word not in SKIPPED and word not in _PRONOUNS and word not in "?=%"]
    return Sentence(
        text,
        tuple(fixed),
        frozenset(meaning for meaning, _ in of_concepts),
        tuple(thing for thing, _ in chosen),
        gpu,
        name,
        numbers,
        file,
        foreign,
        len(content),
        bool(chosen) and not rest,
        next((fixed[span[0] - 1] for _, span in chosen if span[0] and fixed[span[0] - 1] in _ARTICLES), ""),
        (
            *((meaning, frozenset(span)) for meaning, span in sorted(of_concepts)),
            *(("thing", frozenset(span)) for _, span in chosen),
            ("gpu", frozenset(of_gpu)),
            ("name", frozenset({of_name})),
            ("foreign", frozenset(unknown)),
        ),
        frozenset(at for at, word in enumerate(fixed) if word not in grammar and word[:1].isalnum()),
    )


def _parted(token: str, lexicon: _Lexicon) -> str:
    """Return a name with underscores as words if these are a known phrase; empty for others."""
    spoken = token.strip("_").replace("_", " ")
    if " " not in spoken or token in lexicon.words:
        return ""
    return spoken if tuple(map(stem, spoken.split())) in lexicon.phrases else ""


def _matches(words: list[str], places: list[int], lexicon: _Lexicon) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield (kind, name, places) of each phrase of the vocabulary that these words contain."""
    stems = [stem(words[at]) for at in places]
    for start in range(len(places)):
        for end in range(start + 1, min(len(places), start + _MOST_WORDS) + 1):
            for kind, name in lexicon.phrases.get(tuple(stems[start:end]), ()):
                yield kind, name, tuple(places[start:end])


def _things(
    found: Iterable[tuple[str, str, tuple[int, ...]]], words: list[str], lexicon: _Lexicon
) -> list[tuple[Subject, tuple[int, ...]]]:
    """Return the things in a sentence in order, of overlapping ones the longest; a fault or value before a name."""
    order = list(lexicon.things)
    candidates = [(kind, name, span) for kind, name, span in found if kind != "concept"]
    candidates.sort(key=lambda c: (-len(c[2]), -(c[2][-1] - c[2][0]), order.index(c[1]), c[0] == "name", c[0], c[2]))
    taken: set[int] = set()
    chosen: list[tuple[Subject, tuple[int, ...]]] = []
    for kind, name, span in candidates:
        if taken & set(span):
            continue
        taken |= set(span)
        text = " ".join(words[at] for at in range(span[0], span[-1] + 1))
        chosen.append((msgspec.structs.replace(lexicon.things[name], text=text, form=kind), span))
    of_others = {span[0] for _, span in chosen}
    # `what if I double the occupancy`: the word says how much, not which data type
    verbs = [
        item
        for item in chosen
        if item[1][0] == item[1][-1] and words[item[1][0]] == "double" and _next_place(item[1][0], words) in of_others
    ]
    return sorted((item for item in chosen if item not in verbs), key=lambda item: item[1])


def _next_place(at: int, words: list[str]) -> int:
    """Return the place of the next word after `at` that is no article."""
    return next((place for place in range(at + 1, len(words)) if words[place] not in _ARTICLES), len(words))


def _opcodes(raw: list[str], known: Known) -> list[tuple[Subject, tuple[int, ...]]]:
    """Return the opcodes in capitals, unless everything is."""
    if all(typed.isupper() or not typed.isalpha() for typed in raw) and len(raw) > 2:
        return []
    stems = {term for term in known.terms if term.isupper() and len(term) > 2}
    places = ((at, typed, typed.partition(".")[0]) for at, typed in enumerate(raw))
    return [(Subject(opcode, typed, word=typed), (at,)) for at, typed, opcode in places if opcode in stems]


def _is_counter(word: str, lexicon: _Lexicon) -> bool:
    """Return whether the word is a metric of Nsight Compute that the knowledge base does not name."""
    return bool(_COUNTER.fullmatch(word)) and word not in lexicon.words


def _with_opcodes(
    chosen: list[tuple[Subject, tuple[int, ...]]], opcodes: list[tuple[Subject, tuple[int, ...]]]
) -> list[tuple[Subject, tuple[int, ...]]]:
    """Return the things and opcodes; of overlapping ones a longer phrase; terms without a diagnosis only alone."""
    phrases = [item for item in chosen if len(item[1]) > 1]
    if any(set(place) & set(span) for _, place in opcodes for _, span in phrases):
        return chosen
    taken = {at for _, place in opcodes for at in place}
    kept = [item for item in chosen if not opcodes or (item[0].findings and not taken & set(item[1]))]
    return sorted([*opcodes, *kept], key=lambda item: item[1])


def _gpu(words: list[str], lexicon: _Lexicon) -> tuple[str, set[int]]:
    """Return the id of a GPU in the words (its name as typed if it is not in the table) and its places."""
    single = [word[:-1] if re.fullmatch(r"[a-z]*\d{3,4}s", word) else word for word in words]
    for length in (4, 3, 2, 1):
        for start in range(len(words) - length + 1):
            gpu = lexicon.gpus.get(_squeezed("".join(single[start : start + length])))
            if gpu:
                return gpu, set(range(start, start + length))
    for at, word in enumerate(single):
        if word in ("gh100", "ga100"):  # the chips of these
            return lexicon.gpus.get(word[1:], word[1:].upper()), {at}
        prefixed = at > 0 and words[at - 1] in ("rtx", "gtx", "tesla", "quadro", "geforce")
        if _GPU.fullmatch(word) and (prefixed or (not word.isdigit() and word not in lexicon.words)):
            return (f"{words[at - 1]} {word}" if prefixed else word).upper(), {at, at - 1} if prefixed else {at}
    return "", set()


def _name(
    words: list[str], raw: list[str], kernels: Mapping[str, str], lexicon: _Lexicon, of_gpu: set[int]
) -> tuple[str, int]:
    """Return a kernel's name and its place: a kernel of the report, else a word that looks like a function."""
    for at, word in enumerate(words):
        if word in kernels:
            return kernels[word], at
    for at, (word, typed) in enumerate(zip(words, raw, strict=True)):
        known = at in of_gpu or stem(word) in lexicon.stems or word in lexicon.words
        if _NAME.fullmatch(typed) and not known and not _COUNTER.fullmatch(word):
            return typed, at
    return "", -1


@lru_cache(maxsize=4)
def _by_length(words: tuple[str, ...]) -> dict[int, list[str]]:
    out: dict[int, list[str]] = {}
    for word in words:
        if word.isalpha():
            out.setdefault(len(word), []).append(word)
    return out


def _corrected(word: str, lexicon: _Lexicon) -> str:
    """Return the known word that differs by a typing error; the word itself if it is known or none is near."""
    if len(word) < 3 or not word.isalpha() or word in lexicon.words:
        return word
    if stem(word) in lexicon.stems and stem(word) != word:
        return word
    most = 1 if len(word) < 7 else 2
    pools = _by_length(tuple(lexicon.words))
    lengths = range(len(word) - most, len(word) + most + 1)
    pool = [
        near
        for n in lengths
        for near in pools.get(n, ())
        if (near[0] == word[0] or near[:2] == word[1::-1]) and near not in lexicon.elsewhere
    ]
    if len(word) == 3:
        pool = [near for near in pool if len(near) >= 3 and (sorted(near) == sorted(word) or len(near) == 4)]
    from rapidfuzz import process  # loads slowly: only for a word that no list has
    from rapidfuzz.distance import OSA, Indel

    hits = process.extract(word, pool, scorer=OSA.distance, limit=8, score_cutoff=most)
    best = min(
        hits,
        key=lambda hit: (hit[1], hit[0][0] != word[0], Indel.distance(word, hit[0]), -len(hit[0]), hit[0]),
        default=None,
    )
    return best[0] if best is not None and len(best[0]) > 2 else word
