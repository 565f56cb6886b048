import ast

from tests.house import mutation


def test_every_fault_is_made_once_and_none_in_the_module_itself() -> None:
    tree = ast.parse("def least(one, other):\n    return one + 1 if one < other else other\n")
    honest = ast.unparse(tree)
    altered = {line: ast.unparse(module) for _, line, module in mutation.faults(tree)}
    assert set(altered) == {
        "return one + 1 if one < other else other  →  return None",
        "one < other  →  one <= other",
        "one + 1  →  one - 1",
        "1  →  2",
    }
    assert len({*altered.values(), honest}) == 5
    assert ast.unparse(tree) == honest
