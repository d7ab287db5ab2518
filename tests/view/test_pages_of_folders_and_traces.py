"""Pages and SARIF of `triage`, pages of `timeline`: the words and ranks of the text, and harmless names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from advisor.records.diagnosis import Finding, Location
from advisor.timeline.analyse import analyse
from advisor.triage.results import Group
from advisor.triage.run import triage
from advisor.view.pages.timeline import timeline_page
from advisor.view.pages.triage import triage_page
from advisor.view.writers.html import page_html
from advisor.view.writers.markdown import page_markdown
from advisor.view.writers.triage_sarif import triage_sarif
from tests.timeline.generator import MS, US, Planted, busy, serial_copies
from tests.triage.triage_fleet import fleet, here, small
from tests.view.pages import HOSTILE, sound

__all__ = ["here", "small"]

SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0-subset.json").read_text(encoding="utf-8"))


def nowhere(group: Group, finding: Finding) -> tuple[Location, ...]:
    return ()


@pytest.mark.usefixtures("here")
def test_a_triage_page_ranks_groups_and_names_what_could_not_be_read(tmp_path: Path) -> None:
    fleet(tmp_path, 4)
    (tmp_path / "bad.ncu-rep").write_bytes(b"")
    with triage([tmp_path], keep_state=False, jobs=1) as result:
        groups, totals = list(result.groups()), result.totals
        page = sound(page_html(triage_page(result, sections=2)))
        text = page_markdown(triage_page(result, rows=3, sections=2))
    assert totals.launches == 12 and f"12 launches in 4 reports, {totals.groups} kernels" in page.text
    assert "bad.ncu-rep" in page.text and "the file is empty" in page.text
    places = [page.text.index(f"{n}. {group.kernel}") for n, group in enumerate(groups[:2], 1)]
    assert places == sorted(places) and f"3. {groups[2].kernel} · " not in page.text
    assert f"{totals.groups - 3:,} more kernels and shapes would save" in text


@pytest.mark.usefixtures("here")
def test_the_sarif_of_a_triage_asks_for_places_of_the_first_groups_only(tmp_path: Path) -> None:
    fleet(tmp_path, 3)
    (tmp_path / "bad.ncu-rep").write_bytes(b"")
    asked: list[str] = []

    def places(group: Group, finding: Finding) -> tuple[Location, ...]:
        asked.append(finding.id)
        return (Location("src/k.cu", 12, 16, "LDG", "samples", 0.8),)

    with triage([tmp_path], keep_state=False, jobs=1) as result:
        log = json.loads(triage_sarif(result, located=2, places=places, root=tmp_path))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    run = log["runs"][0]
    lined = [r for r in run["results"] if "region" in r["locations"][0]["physicalLocation"]]
    assert 1 <= len(asked) <= 2 and len(lined) == len(asked) < len(run["results"])
    assert not run["invocations"][0]["executionSuccessful"]
    assert "the file is empty" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    ranks = [r["rank"] for r in run["results"] if "rank" in r]
    assert ranks and all(0 <= rank < 100 for rank in ranks)


@pytest.mark.usefixtures("here")
def test_the_rest_of_a_shortened_sarif_is_told(tmp_path: Path) -> None:
    fleet(tmp_path, 3)
    with triage([tmp_path], keep_state=False, jobs=1) as result:
        left = result.totals.groups - 1
        log = json.loads(triage_sarif(result, most=1, places=nowhere, root=tmp_path))
    notes = [n["message"]["text"] for n in log["runs"][0]["invocations"][0]["toolExecutionNotifications"]]
    assert notes[-1] == f"{left} more kernels and shapes are not in this list"


def analysed(planted: Planted, folder: Path) -> Any:
    return analyse([planted.write(folder / "t.sqlite")])


def test_a_timeline_page_has_decision_picture_patterns_kernels_and_command(tmp_path: Path) -> None:
    result = analysed(serial_copies(), tmp_path)
    html = page_html(timeline_page(result))
    page, gpu = sound(html), result.gpus[0]
    assert gpu.decision.title in page.text and gpu.command.command in page.text
    for pattern in gpu.patterns:
        assert pattern.finding.title in page.text and pattern.finding.because in page.text
    assert page.tags["rect"] > 20 and "kernels" in page.text
    for unseen in gpu.unseen:
        assert unseen.id in page.text
    text = page_markdown(timeline_page(result))
    assert "```sh\n" + gpu.command.command in text and "## Activity over time" in text


def test_the_picture_shows_copies_and_kernels_at_their_times(tmp_path: Path) -> None:
    from advisor.view.charts.lanes import timeline_chart

    chart = timeline_chart(analysed(busy(), tmp_path).gpus[0])
    assert chart is not None
    lanes = [box for box in chart.boxes if box.kind == "lane"]
    work = [box for box in chart.boxes if box.kind == "kernels"]
    assert lanes and work
    assert all(lanes[0].x <= box.x and box.x + box.width <= lanes[0].x + lanes[0].width + 0.01 for box in work)
    assert all(0 < box.height <= lanes[0].height for box in work)


def test_a_trace_with_sums_only_has_no_picture(tmp_path: Path) -> None:
    file = tmp_path / "k_cuda_gpu_kern_sum.csv"
    file.write_text(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        '100.0,3000000,3,1000000.0,1000000.0,900000,1100000,1.0,"work(float *)"\n'
    )
    page = sound(page_html(timeline_page(analyse([file]))))
    assert "svg" not in page.tags and "work" in page.text and "GPU unknown" in page.text


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_kernel_names_in_a_trace_are_shown_and_never_obeyed(tmp_path: Path, name: str) -> None:
    safe = name.encode("utf-8", "replace").decode()
    planted, at = Planted(), 10 * MS
    for _ in range(4):
        at = planted.kernel(at, 4 * MS, safe, safe, asked=at - 10 * US) + 20 * US
    result = analysed(planted, tmp_path)
    sound(page_html(timeline_page(result)))
    assert "\n# head" not in page_markdown(timeline_page(result)).partition("\n")[2]


@pytest.mark.usefixtures("here")
def test_the_saving_of_a_group_stands_next_to_its_name_and_is_named_on_a_phone(tmp_path: Path) -> None:
    """A page shows its first columns at any width; on a narrow one each cell has the name of its column."""
    fleet(tmp_path, 2)
    with triage([tmp_path], keep_state=False, jobs=1) as result:
        html = page_html(triage_page(result, sections=1))
    assert html.split("<th ")[1:4] == [
        'scope="col" class="number">#</th>\n',
        'scope="col" class="words">Kernel</th>\n',
        'scope="col" class="number">Saves</th>\n',
    ]
    assert 'data-name="Saves"' in html and "attr(data-name)" in html
