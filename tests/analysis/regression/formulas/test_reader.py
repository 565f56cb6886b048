"""A formula holds columns, numbers, signs and listed functions, and runs nothing else."""

import re
import sys

import pytest

from deniable.analysis.regression.formulas.reader import (
    MOST_CHARACTERS,
    MOST_TERMS,
    Column,
    names_in,
    read,
    sides_of,
)

pytestmark = pytest.mark.promise("formulas")

COLUMNS = ["error", "years", "ward", "drugs.pain", "np", "a b", "größe", "class", "log"]


def terms(formula: str) -> list[str]:
    found = read(formula, COLUMNS)
    return [found.said(str(term)) for term in found.terms]


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("error ~ years", ["1", "years"]),
        ("error ~ 0 + years*ward", ["years", "ward", "years:ward"]),
        ("error~I((years/10)^2)+log(years + 1)-1", ["I((years / 10) ** 2)", "log(years + 1)"]),
        ("error ~ `drugs.pain` + drugs.pain:`a b`", ["1", "drugs.pain", "drugs.pain:a b"]),
        ("error ~ I(größe * class) + log", ["1", "log", "I(größe * class)"]),
        ("error ~ bs(years, df=4) + cr(years, 5)", ["1", "bs(years, df=4)", "cr(years, 5)"]),
        ("error ~ poly(years, degree=2, raw=True)", ["1", "poly(years, degree=2, raw=True)"]),
        ("error ~ C(ward, contr.treatment('b'))", ["1", "C(ward, contr.treatment('b'))"]),
        ('error ~ C(ward, Treatment("b"))', ["1", "C(ward, Treatment('b'))"]),
        ("error ~ C(ward, contr.sum)", ["1", "C(ward, contr.sum)"]),
        ("error ~ C(ward, levels=['b^c', 'a'])", ["1", "C(ward, levels=['b^c', 'a'])"]),
        ("error ~ I(years > 40) + scale(years)", ["1", "I(years > 40)", "scale(years)"]),
        ("error ~ I(years ** -1) + I(-years)", ["1", "I(years ** -1)", "I(-years)"]),
        ("error ~ (years + ward)^2", ["1", "years", "ward", "years:ward"]),
        ("error ~ 1", ["1"]),
    ],
)
def test_what_a_formula_may_be(formula: str, found: list[str]) -> None:
    said = [one.replace("(-1)", "-1") for one in terms(formula)]
    assert sorted(said) == sorted(found)


def test_a_dot_is_every_other_column() -> None:
    columns = ["q", "age", "noisy", "sex"]
    assert read("q ~ .", columns, outside=["noisy"]).names == ("age", "sex")
    assert read("q ~ . - age", columns).names == ("noisy", "sex")
    assert read("sex ~ . + I(age^2)", columns).names == ("q", "age", "noisy")
    many = [f"x{place}" for place in range(MOST_TERMS + 2)]
    with pytest.raises(ValueError, match=r"expected a \. for at most 200 columns, found 201"):
        read("x0 ~ .", many)


def test_a_column_within_c_makes_groups_and_elsewhere_counts() -> None:
    found = read("error ~ C(years) + years", COLUMNS)
    assert found.columns == (Column("years", grouped=True), Column("years", grouped=False))
    assert found.names == ("years",)


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("error ~ __import__('os').system('x')", "there is no function '__import__'"),
        ("error ~ np.loadtxt(years)", "there is no function 'np.loadtxt'"),
        ("error ~ open('x')", "there is no function 'open'"),
        ("error ~ Q('years')", "there is no function 'Q'"),
        ("error ~ offset(years)", "there is no function 'offset'; expected one of C, I, bs"),
        ("error ~ np .load", "expected a sign such as + between 'np' and '.'"),
        ("error ~ years.__class__", "there is no column 'years.__class__'"),
        ("error ~ I(years).real", "expected a sign such as + between ')' and '.'"),
        ("error ~ I(years.real)", "there is no column 'years.real'"),
        ("error ~ I(().__class__)", "expected a sign such as +"),
        ("error ~ {years}", "found '{years}'"),
        ("error ~ years[0]", "expected a sign such as + between 'years' and '['"),
        ("error ~ I([years])", "brackets [ ] only around a list"),
        ("error ~ C(years)(1)", "expected a sign such as + between ')' and '('"),
        ("error ~ (log)(years)", "expected a sign such as + between ')' and '('"),
        ("error ~ C(C)(years)", "expected a sign such as +"),
        ("error ~ 'x'", "String literals are not valid"),
        ("error ~ I('x' * 9)", "found Constant in a call"),
        ("error ~ `__import__`", "there is no column '__import__'"),
        ("error ~ `__import__('os')`", "there is no column"),
        ("error ~ lambda: years", "there is no column 'lambda'"),
        ("error ~ I(years if years else ward)", "expected a sign such as +"),
        ("error ~ column_0_", "there is no column 'column_0_'"),
        ("error ~ \uff45xp(years)", "there is no function '\uff45xp'"),
        ("error ~ \uff59ears", "there is no column '\uff59ears'"),
        ("error ~ contr.sum(years)", "in a call"),
        ("error ~ contr", "there is no column 'contr'"),
        ("error ~ contr.sum.__init__", "there is no column"),
        ("error ~ C(ward, contr.load('b'))", "there is no function 'contr.load'"),
        ("error ~ C(ward, contr.treatment(years))", "C(): expected a contrast"),
        ("error ~ C(ward, contr.sum('b'))", "C(): expected a contrast"),
        ("error ~ C(ward, levels=[years])", "C(): expected a list"),
        ("error ~ C(ward, levels=['a\\'])", "found"),
        ("error ~ C(ward, levels=['a`b'])", "found"),
        ("error ~ C(log(years))", "expected a column in C()"),
        ("error ~ I(C(ward))", "expected no C() there"),
        ("error ~ Treatment('b')", "expected no Treatment() there"),
        ("error ~ log(years, out=ward)", "log() has no 'out'"),
        ("error ~ bs(years, df=999999)", "bs(): expected a whole number from 1 to 50"),
        ("error ~ I(9**9)", "expected a power of a column, found one of a number alone"),
        ("error ~ I(999999^3^3^3)", "no power of a power"),
        ("error ~ I(((9^3)^3)^3)", "expected no power of a power"),
        ("error ~ I((years^3)^3)", "expected no power of a power"),
        ("error ~ I((years*(ward^3))^3)", "expected no power of a power"),
        ("error ~ I(2^years)", "expected a power that is a number"),
        ("error ~ I(years^11)", "expected a power that is a number of at most 10"),
        ("error ~ I(years^(9*9))", "expected a power that is a number"),
        ("error ~ years**9999999", "expected a power from 1 to 10"),
        ("error ~ (years**2)**2", "another power"),
        ("error ~ I(12345678901234567)", "found '12345678901"),
        ("error ~ (years", "as many opening brackets as closing ones"),
        ("error ~ years))((", "as many opening brackets as closing ones"),
        ("error ~ yers", "did you mean 'years'"),
        ("error + years", "expected a formula such as"),
        ("~ years", "expected a formula such as"),
        ("error ~ years ~ ward", "expected one ~"),
        ("log(error) ~ years", "expected a column by itself to the left"),
        ("error ~ error", "stands on both sides of ~"),
        ("error ~ I(error^2)", "stands on both sides of ~"),
        ("error ~ years|ward", "no | in a formula: a random intercept for each group is asked"),
        ("error ~ (1|ward)", "by within=, such as 'school'"),
        ("error ~ years;ward", "found ';ward'"),
        ("error ~ years @ ward", "found '@ ward'"),
        ("error ~ years %in% ward", "found '%in% ward'"),
        ("error ~ I(+-+years)", "found '+ - +'"),
        ("error ~ I(years:ward)", "a call in it cannot be read"),
        ("error ~ " + "(" * 90, "at most 20 brackets"),
        ("error ~ " + "x" * MOST_CHARACTERS, f"at most {MOST_CHARACTERS} characters"),
        ("error ~ " + "+".join(["years"] * 190) * 2, "characters"),
        ("error ~ (years + ward + np + log)^9", "at most 200 terms, found up to 1,953,125"),
        ("error ~ " + "*".join(COLUMNS[1:5] + COLUMNS[6:9] + ["`a b`"]), "at most 200 terms"),
    ],
)
def test_what_it_may_not_be(formula: str, found: str) -> None:
    with pytest.raises(ValueError, match=re.escape(found)):
        read(formula, COLUMNS)


def test_few_columns_come_of_crossed_groups_and_splines() -> None:
    groups = {Column(name, grouped=False): 20 for name in "abcdef"}
    for formula in ("q ~ a + b + c*d", "q ~ a:b", "q ~ (c + d)^2 - 1", "q ~ bs(x, df=20):a"):
        found = read(formula, [*"abcdefqx"])
        with pytest.raises(ValueError, match="at most 200 columns, found up to"):
            found.check_columns(groups, 200)
        found.check_columns(dict.fromkeys(groups, 5), 200)
    with pytest.raises(ValueError, match=r"up to 85,766,121:"):
        read("q ~ a*b*c*d*e*f", [*"abcdefq"]).check_columns(groups)
    read("q ~ a + b + c", [*"abcdefq"]).check_columns(groups, 200)


def test_names_are_columns_and_no_functions_keywords_or_texts() -> None:
    found = names_in("years + C(ward, contr.treatment('b')):pay + bs(x.y, df=4) + `a b` + 1e3:z")
    assert found == ["years", "ward", "pay", "x.y", "a b", "z"]
    assert sides_of("`a b` ~ years") == ("a b", " years")


def test_nothing_of_a_refused_formula_reaches_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library runs what stands before a bracket as soon as it cuts a formula into pieces."""
    ran: list[str] = []
    monkeypatch.setattr(sys.modules["builtins"], "canary", lambda *_: ran.append("ran"), False)
    for formula in ("q ~ canary('x')(1)", "canary('x')(1) ~ q", "q ~ C(canary)(x)(1)"):
        with pytest.raises(ValueError, match=r"expected|there is no"):
            read(formula, ["q", "x"])
    assert not ran
