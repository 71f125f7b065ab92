"""The command on docs/protocol.md prints what it shows. Its session is replayed in property_tests/conformance."""


def test_our_engine_conforms_as_the_page_shows(tmp_path, blocks_of, run_commands):
    blocks = blocks_of("docs/protocol.md")
    assert [kind for kind, _ in blocks] == ["session", "console"]
    run_commands(blocks[1].text, tmp_path)
