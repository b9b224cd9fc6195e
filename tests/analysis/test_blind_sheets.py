"""Pictures for a blind reading, and how it is counted."""

import csv

import numpy as np
import pytest

import blind_sheets
import blind_tables
from blind_pictures import COLUMNS, SIZE, Performance, draw_sheet, finer_times, still_step, still_times
from kinesphere import Effort, perform
from observer_experiment import film


@pytest.fixture(scope="module")
def segment():
    return film()[27]


@pytest.mark.parametrize("duration", [0.4, 1.57, 1.8, 4.6, 5.13, 15.2])
@pytest.mark.parametrize("least", [0.1, 0.15, 0.4])
def test_stills_are_at_equal_steps_over_the_whole_and_fit_their_row(duration, least):
    step = still_step(duration, least)
    assert step >= least
    cells = still_times(duration, step)
    assert all(0 <= cell.column < COLUMNS for cell in cells)
    assert len({cell.column for cell in cells}) == len(cells)
    for again in {cell.again for cell in cells}:
        times = np.array([cell.time for cell in cells if cell.again == again])
        assert times[0] == 0.0
        assert np.ptp(np.diff(times)) < 1e-9 if len(times) > 2 else True
        assert times[-1] <= duration + 1e-6
        assert duration - times[-1] < (times[1] if len(times) > 1 else step)


def test_a_short_performance_is_shown_again_in_finer_steps():
    cells = still_times(1.6, 0.4)
    assert [cell.time for cell in cells if not cell.again] == pytest.approx([0.0, 0.4, 0.8, 1.2, 1.6])
    again, finer = [cell.time for cell in cells if cell.again], [cell.time for cell in finer_times(1.6, 0.4)]
    assert 0.0 < finer[1] < again[1] < 0.4
    assert len(finer) <= COLUMNS
    assert not finer_times(4.8, 0.4)


def test_arrivals_are_where_and_in_what_order_the_goals_are(segment):
    goals = {"right": segment.gesture.right}
    shown = Performance(perform(segment.gesture), "", goals)
    seconds = shown.times[shown.arrivals["right"]][1:]
    asked = np.array([key.frame / 60.0 for key in segment.gesture.right.keys])[1:]
    assert np.abs(seconds - asked).max() < 0.1
    sudden = Performance(perform(segment.gesture, Effort(time=1.0)), "", goals)
    assert np.all(np.diff(sudden.arrivals["right"]) > 0)


def test_a_sheet_does_not_depend_on_what_the_motion_is_called(segment):
    """What is asked for must not be written anywhere: the same motion gives the same picture."""
    item = blind_sheets.element_item(28, segment)
    assert item.neutral is not None
    assert not {*item.label.split()} & {*item.shown.title.lower().split()}
    image = draw_sheet(item.shown, item.step, [item.neutral])
    assert image.size == SIZE
    assert not {*item.label.split()} & set(image.info)


def test_labels_are_the_codes_of_the_film():
    for number, segment in enumerate(film(), 1):
        item = blind_sheets.element_item(number, segment) if number in (1, 3, 33) else None
        if item is not None:
            assert blind_tables.label_codes(item.label) == segment.codes
            assert (item.neutral is not None) == segment.beside_neutral


def test_codes_of_labels():
    assert blind_tables.label_codes("strong sudden") == (0, 1, 1, 0)
    assert blind_tables.label_codes("Free, indirect") == (-1, 0, 0, -1)
    assert blind_tables.label_codes("neutral") == (0, 0, 0, 0)
    with pytest.raises(ValueError, match="'heavy' is none of"):
        blind_tables.label_codes("heavy")
    with pytest.raises(ValueError, match="both ends"):
        blind_tables.label_codes("light strong")


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def test_tables_of_elements(tmp_path):
    key = written(
        tmp_path / "key.csv",
        [
            ["item", "label", "file"],
            ["item-1", "indirect strong bound", "segment-40.png"],
            ["item-2", "sudden free", "segment-01.png"],
        ],
    )
    said = written(
        tmp_path / "a.csv", [["item", "label"], ["item-2", "sudden free"], ["item-1", "indirect sudden free"]]
    )
    truth = blind_tables.read_rows(key)
    text = "\n".join(blind_tables.element_tables(truth, {"a": blind_tables.read_codes(said, truth)}))
    assert "| correct | 76.6 | 55.6 | 53.2 | 60.1 | 62.5 | **62.5** | 37.5 |" in text
    assert "| opposite | 0.81 | 5.6 | 7.7 | 2.8 | 12.5 | **12.5** | 0.0 |" in text
    assert "| a | 60.0 | 20.0 | 20.0 | 1 | 1 of 2 |" in text
    assert "| bound | 1 (100 %) | 0 (0 %) | 0 (0 %) |" in text
    assert "| 2 keys, beside neutral | 1 | 100.0 | 0.0 | 0.0 |" in text
    missing = written(tmp_path / "b.csv", [["item", "label"], ["item-2", "sudden free"]])
    with pytest.raises(ValueError, match="item-1"):
        blind_tables.read_codes(missing, truth)


def test_tables_of_words_count_forms_and_aliases(tmp_path):
    rows = [
        ["item-1", "proudly", "word-01-wave.png"],
        ["item-2", "shy", "word-02-clap.png"],
        ["item-3", "angry", "w.png"],
    ]
    truth = blind_tables.read_rows(written(tmp_path / "key.csv", [["item", "label", "file"], *rows]))
    said = [["item-1", "proud"], ["item-2", "timidly"], ["item-3", "sad"]]
    read = blind_tables.read_words(written(tmp_path / "a.csv", [["item", "label"], *said]), truth)
    assert "| a | 1 of 3 | 33.3 |" in blind_tables.word_tables(truth, {"a": read})
    lines = blind_tables.word_tables(truth, {"a": read}, "timidly:shy")
    assert "| a | 2 of 3 | 66.7 |" in lines
    assert "| angry | sad | 1 |" in lines
