"""The result of simulating a fix with the numbers of the launch, in sentences."""

from __future__ import annotations

from advisor.records.diagnosis import FixCheck, Form
from advisor.view.numbers import counted, share_text

_UNITS = {"banks": "wavefronts", "coalescing": "sectors"}
_OTHERS = 3  # the most further row lengths or strides to list


def check_texts(check: FixCheck) -> list[str]:
    """Return the simulator's result, one sentence per pattern or setting."""
    return _TEXTS[check.simulator](check)


def _few(value: float) -> str:
    return f"{value:.1f}"


def _blocks(number: int) -> str:
    return f"{number:,} block{'s' * (number != 1)}"


def _access(check: FixCheck) -> list[str]:
    measured, unit = dict(check.measured), _UNITS[check.simulator]
    who = f"{check.of}s of {measured['bytes']:.0f} bytes per lane"
    alone = "" if check.simulator != "banks" else ", these accesses alone"
    out = [f"{who} take {_few(measured['cost'])} {unit} per request, ideal {_few(measured['ideal'])}{alone}"]
    patterns = [_fit(form, check) for form in check.fits]
    if len(patterns) > 1:
        out.append("patterns with this cost, which the counters cannot distinguish: " + "; or ".join(patterns))
    elif patterns and check.fits[0].index:
        out.append(f"if all these accesses are alike, a pattern with this cost: {patterns[0]}")
    elif patterns:
        out.append(patterns[0])
    forms = [_after(form) for form in check.after]
    return out + ([f"instead {'; '.join(forms)}"] if forms else [])


def _fit(form: Form, check: FixCheck) -> str:
    numbers = dict(form.numbers)
    if form.kind == "mix":
        return (
            "no single pattern has this cost: accesses are mixed, or indices differ from lane to lane; for example "
            f"{share_text(numbers['share'])} at {_few(numbers['worst'])} and the rest at {_few(numbers['best'])}"
        )
    if form.kind == "untried":
        lanes = dict(check.measured)["lanes"]
        return f"pattern unknown: some lanes are inactive ({_few(lanes)} of 32 active on average)"
    sizes = form.sizes
    others = f"; the same for {', '.join(map(str, sizes[1 : 1 + _OTHERS]))}, …" if len(sizes) > 1 else ""
    size, cost = int(numbers["bytes"]), _few(form.result)
    if form.kind == "far":
        return f"lanes {sizes[0] * size} bytes or more apart, or at unrelated addresses ({form.index}): {cost}"
    if form.kind == "stride" and check.simulator == "coalescing":
        return f"lanes {sizes[0] * size} bytes apart ({form.index}): {cost}"
    if form.kind == "groups":
        return f"groups of {sizes[0]} neighbours, each in another row of the array ({form.index}): {cost}"
    if form.kind == "offset":
        return f"neighbouring elements that start {sizes[0]} bytes after a sector boundary: {cost}"
    if check.simulator == "coalescing":
        apart = "neighbouring lanes" if form.kind == "column" else "rows of threads"
        return f"{apart} in different rows of the array ({form.index}): {cost}"
    return f"a row of {sizes[0]} elements ({form.index}{others}): {cost}"


def _after(form: Form) -> str:
    by, cost = int(dict(form.numbers).get("by", 0)), _few(form.result)
    if form.kind == "pad":
        return f"with {'one column' if by == 1 else f'{by} columns'} of padding: {cost}"
    words = {
        "swizzle": "with the columns swizzled",
        "shift": f"moved by {by} bytes",
        "exchange": "with tid.x and tid.y swapped",
        "consecutive": "with neighbouring lanes on neighbouring elements",
    }
    return f"{words[form.kind]}: {cost}"


def _occupancy(check: FixCheck) -> list[str]:
    now = {name: int(value) for name, value in check.measured}
    percent = dict(check.measured)["percent"]
    out = [
        f"now {counted(now['registers'], 'register')} per thread, {counted(now['shared'], 'byte')} of shared memory, "
        f"{counted(now['block_size'], 'thread')}: {_blocks(now['blocks'])} per SM, {percent:.0f} %"
    ]
    return out + [_step(form, now["block_size"]) for form in check.after]


def _step(form: Form, block_size: int) -> str:
    at = {name: int(value) for name, value in form.numbers}
    bound = "at most" if at["gain"] else "over"
    limit = at["value"] if at["gain"] else at["value"] - 1
    what = {
        "registers": f"{bound} {counted(limit, 'register')}",
        "shared": f"{bound} {counted(limit, 'byte')} of shared memory",
        "block_size": f"blocks of {counted(at['value'], 'thread')}",
    }[form.kind]
    how = ""
    if form.kind == "registers" and at["gain"]:
        how = f" (`__launch_bounds__({block_size}, {at['blocks']})` or `--maxrregcount={at['value']}`)"
    return f"{what}{how}: {_blocks(at['blocks'])}, {form.result:.0f} %"


def _waves(check: FixCheck) -> list[str]:
    now = dict(check.measured)
    sms, resident, wave = int(now["sms"]), int(now["blocks"]), int(now["wave"])
    out = [
        f"{_blocks(int(now['grid']))} in waves of {wave:,} ({sms} SMs, {resident} each): {now['waves']:.2f} waves"
        + (f", the last one {share_text(now['last'])} full" if now["waves"] > 1 else "")
    ]
    for form in check.after:
        grid = int(dict(form.numbers)["grid"])
        whole = f"{form.result:.0f} full wave{'s' * (round(form.result) != 1)}"
        gives = "one block for each SM" if grid == sms != wave else whole
        out.append(f"{_blocks(grid)}: {gives}")
    return out


_TEXTS = {"banks": _access, "coalescing": _access, "occupancy": _occupancy, "waves": _waves}
