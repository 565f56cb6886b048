import pytest

from deniable import designs
from deniable.channel import Channel


def test_a_revealing_design_is_refused_by_the_name_of_its_report() -> None:
    designs.refuse_for_collection(designs.warner(0.3), ["No", "Yes"])
    with pytest.raises(ValueError, match="the report 'No' would give its sender away"):
        designs.refuse_for_collection(designs.forced_response("1/2", 1), ["No", "Yes"])


@pytest.mark.parametrize(
    "channel",
    [
        designs.devore("1/2"),
        designs.mangat("1/2"),
        designs.mangat_singh_singh("1/2", "1/2"),
        designs.triangular("1/4"),
    ],
    ids=["devore", "mangat", "mangat_singh_singh", "triangular"],
)
def test_designs_in_which_a_no_is_never_deniable_are_for_analysis_only(
    channel: Channel,
) -> None:
    with pytest.raises(ValueError, match="the report 'No' would give its sender away"):
        designs.refuse_for_collection(channel, ["No", "Yes"])


def test_a_design_that_says_nothing_is_refused() -> None:
    same_rows = designs.custom([["1/4", "3/4"], ["1/4", "3/4"]])
    assert not same_rows.identifiable
    assert designs.k_ary(255, "1/100").identifiable
    with pytest.raises(ValueError, match="nothing could be learned"):
        designs.refuse_for_collection(same_rows, ["No", "Yes"])
