"""What commands refuse: each with its exit code, what it says, and no file written or changed."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from tests.cli.conftest import DOPING, EVERY_TYPE, Run
from tests.cli.test_plan import SURVEY
from tests.kit import PANEL_TEXT, at
from tests.kit.surveys import CLUB

FILES = {
    "doping.yaml": DOPING,
    "same.yaml": DOPING.replace("1/4", "1/3"),
    "every-type.yaml": EVERY_TYPE,
    "nurses.yaml": SURVEY,
    "club.yaml": CLUB,
    "panel.yaml": PANEL_TEXT,
    "once.yaml": PANEL_TEXT.replace("waves: {count: 3, redraw: 1/10}\n", ""),
    "noise.csv": "doped_noisy\n" + "no\n" * 65 + "yes\n" * 60,
    "nurses.csv": "error_noisy,signed_noisy,ward\n" + "no,no,a\n" * 30 + "yes,no,b\n" * 30,
    "club.csv": "doped_noisy,role\n" + "no,player\n" * 30,
    "survey.csv": "id,rr.q1,age,region\n" + "".join(f"{n},{n % 2},{n},north\n" for n in range(60)),
}
MADE = (
    "simulate doping.yaml -n 5 --store both.db",
    "simulate every-type.yaml -n 20 --store both.db",
    "simulate every-type.yaml -n 20 --store study.db",
    "simulate once.yaml -n 5 --store once.db",
    "tally study.db -o t.json",
)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with surveys, reports and stores that no test may change."""
    folder = tmp_path_factory.mktemp("refusals")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes(b"doped_noisy\n\xff\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in MADE:
            assert CliRunner().invoke(commands, line.split()).exit_code == 0, line
    return folder


FORCED = "--design 'forced_response: {truth: 2/3, yes: 1/2}'"
ARMS = "--design 'cheating_detection: {yes: [1/4, 3/4]}'"
WARNER = "--design 'warner: {flip: 1/4}'"
COLUMN = f"analyse survey.csv --column rr.q1 {FORCED}"
FORMULA = f"analyse survey.csv {FORCED} --formula"
LIST = "analyse survey.csv --list"
OF_SURVEY = "analyse nurses.yaml --reports nurses.csv"
NOISE = f"analyse noise.csv --column doped_noisy {WARNER}"
LAKE = "export --store study.db --parquet lake"
INTO = "export --store study.db --into copy.db"
WAVES = "simulate panel.yaml -n 5"
COLLECT = "collect doping --store both.db"
SERVE = "serve doping.yaml --url"
LINK = "http://127.0.0.1:9/s/doping"
NOBODY = f"http://127.0.0.1:9{at('doping')}"

REFUSED = [
    (2, f"analyse survey.csv {FORCED}", "expected one of --column and --formula"),
    (1, f"analyse survey.csv --formula 'rr.q1 ~ age|region' {FORCED}", "by --within, such as"),
    (1, f"analyse survey.csv --column rr.q2 {FORCED}", "survey.csv: line 1: expected a column"),
    (1, f"analyse survey.csv --column region {FORCED}", "the design's reports, by --codes"),
    (2, f"{COLUMN} --level 0.95", "did you mean 95%?"),
    (2, f"{COLUMN} -o a.xlsx", "csv, json"),
    (1, f"{COLUMN} --by id", "expected 2 to 40 groups"),
    (2, f"{COLUMN} --yes 1", "--yes needs --codes"),
    (1, f"{COLUMN} --codes a,b", "--yes a or --yes b"),
    (2, f"{COLUMN} --values 0,x", "expected numbers"),
    (2, f"{COLUMN} --unweighted", "--unweighted is for a survey"),
    (2, f"{COLUMN} --direct rr.q1", "--direct needs --list"),
    (2, f"{FORMULA} 'rr.q1 ~ age' --by id", "--formula cannot be"),
    (2, f"{FORMULA} '~ age'", "expected a response and its covariates"),
    (2, f"{FORMULA} 'rr.q1 ~ 1' --arms 1,2", "--arms needs --arm"),
    (2, f"analyse survey.csv {ARMS} --formula 'rr.q1 ~ 1'", "needs --arm: the column"),
    (2, f"analyse survey.csv {ARMS} --column rr.q1 --arm region --by id", "used with --arm"),
    (1, f"analyse survey.csv {ARMS} --formula 'rr.q1 ~ 1' --arm region", "which of the 2 arms a"),
    (1, f"analyse survey.csv {ARMS} --formula 'rr.q1 ~ 1' --arm where", "a column 'where'"),
    (2, "analyse survey.csv --item rr.q1 --unweighted --trim 3", "does not go with --trim"),
    (2, f"{LIST} region", "--list needs --arm"),
    (1, f"{LIST} region --arm rr.q1", "'region': expected how many statements"),
    (2, f"{LIST} id --arm rr.q1 --by region", "--by cannot be used with --list"),
    (2, OF_SURVEY, "expected one of --item, --cross"),
    (2, f"{OF_SURVEY} --cross error ward --by c", "--by needs --item"),
    (2, f"{OF_SURVEY} --store study.db --item a", "used with --store or --revision"),
    (2, "analyse nurses.csv --column error_noisy", "data from elsewhere need --design"),
    (2, f"analyse nurses.csv {WARNER} --item error", "--item is for a survey"),
    (2, f"{NOISE} --figure x.jpg", "in .svg or .png or .pdf or .txt, which"),
    (2, f"{NOISE} -o x.csv --format=json", "in .json, found .csv"),
    (1, "analyse doping.yaml --tally t.json --item doped", "found one of 'every-type'"),
    (1, "ask ''", "Error: expected a question between the quotes, found nothing"),
    (1, f"analyse latin.csv --column doped_noisy {WARNER}", "0xff: save it as “CSV UTF-8”"),
    (1, f"audit {LINK}", "nothing answers there"),
    (2, "audit http://127.0.0.1:9/", "is not the link of a survey"),
    (2, "simulate doping -n 9 -o x.csv", "goes with --store alone; else give its file"),
    (1, f"{COLLECT} --from tomorrow", "or 2026-12-01T08:00+01:00, found 'tomorrow'"),
    (1, f"{COLLECT} --cap 25", "whole batches of 10"),
    (1, f"{COLLECT} --cap -10", "whole number"),
    (1, f"{COLLECT} --from 2098-12-02T08:00 --until 2098-12-01T08:00", "later than"),
    (1, "estimate doping.yaml --reports latin.csv", "latin.csv: expected a CSV in UTF-8"),
    (2, "estimate --reports noise.csv", "SURVEY is missing"),
    (2, "estimate nurses.yaml --reports nurses.csv --reports https://desk.example.org", "joined"),
    (2, "estimate doping --reports noise.csv", "'doping' is not a file"),
    (2, "estimate doping.yaml --reports noise.csv --store both.db", "be used with --store"),
    (1, "estimate noise.csv", "give a CSV of reports with --reports"),
    (1, "estimate doping --store sqlite:s.db", "expected sqlite:///PATH"),
    (1, "estimate doping --store postgresql://host/db", "cannot be reached"),
    (1, "estimate doping --store noise.csv", "noise.csv: expected a deniable store"),
    (1, "estimate --store both.db", "which survey? There are doping, every-type"),
    (1, "estimate dopin --store both.db", "no survey 'dopin'; did you mean 'doping'?"),
    (1, "estimate doping --revision zz --store both.db", "expected a revision of 'doping'"),
    (2, "estimate doping.yaml --tally t.json --reports t.json", "--reports and --tally do not"),
    (2, "export club.yaml --zip a.zip -o b.csv", "--zip and --output do not go together"),
    (2, "export club.yaml --zip a.csv", "a name that ends in .zip, found .csv"),
    *(
        (2, f"export club.yaml --datasette {one}", "--datasette")
        for one in ("a.csv", "a.db -o b.csv")
    ),
    (2, "export club.yaml --reports club.csv", "--reports goes with --zip"),
    (2, "export --zip a.zip --reports club.csv", "--reports needs the file of the survey"),
    (2, f"{LAKE} --into x.db", "--parquet and --into do not go together"),
    *(
        (2, f"{INTO} {one}", one[:8])
        for one in ("--force", "--revision 0", "--output x", "--small-cells")
    ),
    (1, "migrate study.db both.db", "holds something already"),
    (1, "migrate study.db study.db", "two different stores"),
    (1, "new dopping", "no example 'dopping'; did you mean 'doping'?"),
    (1, "new zzz", "'deniable new'"),
    (2, "new doping -o x.csv", "a name that ends in .yaml or .yml, found .csv"),
    (2, "plan nurses.yaml --within x", "percentage points such as 5 or 5%, found 'x'"),
    (2, "plan nurses.yaml --within 0.05", "did you mean 5 points? A number up to 1 needs its"),
    (2, "plan nurses.yaml --detect 0.1 0.25", "found '0.1': did you mean 10%?"),
    (2, "plan nurses.yaml --detect 10 10", "expected two shares, found 10 twice"),
    (2, "plan nurses.yaml --detect 10 25 --power 4", "more than the 5% of tests that find a"),
    (2, "plan nurses.yaml --prior 0", "above 0 and below 100, found '0'"),
    (2, "plan nurses.yaml --within 5 --level 0.95", "found '0.95': did you mean 95%?"),
    (2, "serve doping.yaml --url https://a.example/path", "has a path"),
    (2, "serve doping.yaml --url https://m\u00fcller.example", "xn--"),
    (2, "serve doping.yaml --also a.onion", "--also needs --url"),
    (2, "serve doping.yaml --url https://a.example --also http://b.example", "no name of a host"),
    (1, "serve doping.yaml --host no.such.host.invalid", "found no address for the host"),
    (1, f"{SERVE} https://a.example --desk-url https://a.example:8443", "by host and"),
    (1, f"{SERVE} http://a.example --desk-url http://a.example", "found one address"),
    (1, "serve doping.yaml same.yaml", "'doping'"),
    (2, "sheet doping.yaml -o x.pdf", "for a PDF open the page in a browser and print"),
    (2, "simulate doping.yaml -n 5", "--store and --url, found none of them"),
    (2, "simulate doping.yaml -n 5 -o- --add", "--add can only be used with --store or --url"),
    (2, "simulate doping.yaml -n 5 --url 127.0.0.1:8000", "127.0.0.1:8000"),
    (2, "simulate doping.yaml -n 5 -o x.xlsx", "ends in .csv, found .xlsx"),
    (2, f"{WAVES} -o - --wave 4", "expected a --wave up to 3, found 4"),
    (2, f"{WAVES} -o - --change 1/2", "did you mean 50%?"),
    (2, f"{WAVES} --url http://127.0.0.1:1", "needs --wave with --url"),
    (2, "simulate once.yaml -n 5 -o - --wave 2", "expected a --wave up to 1, found 2"),
    (1, "tally doping", "; name another one as in 'deniable tally study.db --survey doping -o t."),
    (2, "verify", "expected either the link of a survey or --manifest, or --hashes."),
    (1, f"verify {NOBODY}", "survey.json: nothing answers there"),
    (2, f"verify '{NOBODY}#5a5a'", "is not the link of a survey"),
    (2, "verify --hashes --key x", "--key is for --manifest"),
    (2, "verify --hashes --not-after soon --format json", "a day such as 2027-11-30, found soon"),
    (2, "verify --hashes --not-after 2027-11-30", "is for --hashes --format json"),
    (1, "wave panel 2 --store once.db", "expected a wave up to 1, the last of 'panel', found 2"),
]


@pytest.mark.parametrize(("exits", "line", "said"), REFUSED, ids=[line for _, line, _ in REFUSED])
def test_it_says_why_and_writes_nothing(
    run: Run, there: Path, monkeypatch: pytest.MonkeyPatch, exits: int, line: str, said: str
) -> None:
    monkeypatch.chdir(there)
    before = sorted(there.iterdir())
    result = run(*shlex.split(line), exits=exits)
    assert said in " ".join(result.stderr.split()), result.stderr
    assert sorted(there.iterdir()) == before
