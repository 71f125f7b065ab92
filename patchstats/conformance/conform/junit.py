"""A check as JUnit XML, which most services for continuous integration read: a test case a clause."""

from __future__ import annotations

from xml.etree import ElementTree

from patchstats.conformance.conform.check import Findings, all_verdicts
from patchstats.conformance.conform.report import CUT_SHORT, broken_text, fault_text
from patchstats.rules.rulebook import Clause

SUITE = "patchstats conform"


def junit_text(findings: Findings) -> str:
    """Return the check as an XML document: broken clauses are failures, those not covered are skipped, faults errors.

    That the check was cut short is an error, too.

    >>> print(junit_text(Findings()).splitlines()[1])
    <testsuites name="patchstats conform" tests="61" failures="0" errors="0" skipped="59">
    """
    verdicts = all_verdicts(findings)
    counts = {
        "tests": len(verdicts) + 2,
        "failures": len(findings.broken),
        "errors": bool(findings.faults) + findings.out_of_time,
        "skipped": sum(verdict == "not covered" for _, verdict in verdicts),
    }
    attributes = {"name": SUITE, **{key: str(count) for key, count in counts.items()}}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", {**attributes, "time": f"{findings.pace.seconds:.3f}"})
    for clause, verdict in verdicts:
        _add_clause(suite, findings, clause, verdict)
    answers = ElementTree.SubElement(suite, "testcase", {"classname": "engine", "name": "answers as the protocol says"})
    if findings.faults:
        text = "\n\n".join(fault_text(fault, findings) for fault in findings.faults)
        fault = findings.faults[0]
        error = ElementTree.SubElement(answers, "error", {"type": fault.kind, "message": fault.reason})
        error.text = text
    whole = ElementTree.SubElement(suite, "testcase", {"classname": "engine", "name": "all of it in the time allowed"})
    if findings.out_of_time:
        ElementTree.SubElement(whole, "error", {"type": "time", "message": CUT_SHORT})
    if findings.errors:
        ElementTree.SubElement(suite, "system-err").text = "\n".join(findings.errors)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_clause(suite: ElementTree.Element, findings: Findings, clause: Clause, verdict: str) -> None:
    section = clause.number.partition(".")[0]
    named = {"classname": f"rulebook.section_{section}", "name": f"{clause.number} {clause.title}"}
    case = ElementTree.SubElement(suite, "testcase", named)
    if verdict == "broken":
        value = findings.broken[clause.number].telling
        message = f"{value.field}: expected {value.expected}, found {value.found}"
        failure = ElementTree.SubElement(case, "failure", {"type": "broken", "message": message})
        failure.text = broken_text(clause, findings.broken[clause.number])
    elif verdict == "not covered":
        ElementTree.SubElement(case, "skipped", {"message": findings.why_not_covered(clause)})
