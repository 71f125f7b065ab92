"""Buttons are a closed ledger: the events move them between the bank and the seats, and nothing else does."""

import pytest
from hypothesis import given

from patchstats.rules.events import BANK, Earned, Income, Paid
from patchstats.testing import games


def accounts_of(position):
    return {BANK: position.bank, 0: position.players[0].buttons, 1: position.players[1].buttons}


@pytest.mark.clause("9.5", "4.2", "5.7", "6.2")
@given(games())
def test_the_ledger_closes_at_every_event_and_no_seat_is_ever_in_debt(game):
    accounts = accounts_of(game.positions[0])
    for ply in game.plies:
        assert accounts_of(ply.before) == accounts
        for event in ply.events:
            transfer = getattr(event, "transfer", None)
            if transfer is not None:
                source, target, buttons = transfer
                assert buttons >= 0
                assert source != target
                accounts[source] -= buttons
                accounts[target] += buttons
            assert sum(accounts.values()) == game.ruleset.button_supply
            assert accounts[0] >= 0
            assert accounts[1] >= 0
        assert accounts_of(ply.after) == accounts


@pytest.mark.clause("9.5")
@given(games())
def test_every_payment_is_between_the_bank_and_the_seat_that_acts(game):
    directions = {Paid: lambda seat: (seat, BANK), Earned: lambda seat: (BANK, seat), Income: lambda seat: (BANK, seat)}
    for ply in game.plies:
        for event in ply.events:
            if hasattr(event, "transfer"):
                assert event.seat == ply.before.seat_on_turn
                assert event.transfer[:2] == directions[type(event)](event.seat)
                assert event.transfer.buttons == event.buttons


@pytest.mark.clause("9.5")
@given(games())
def test_bank_and_seats_always_hold_the_whole_supply(game):
    for position in game.positions:
        assert sum(accounts_of(position).values()) == game.ruleset.button_supply
        assert min(player.buttons for player in position.players) >= 0


@pytest.mark.clause("9.5")
def test_every_kind_of_payment_is_reached_with_and_without_buttons(reach):
    def amounts_of(kind, game):
        return {event.buttons for event in game.log if isinstance(event, kind)}

    reach(
        games(),
        lambda game: 0 in amounts_of(Paid, game),
        lambda game: amounts_of(Paid, game) - {0},
        lambda game: 0 in amounts_of(Income, game),
        lambda game: amounts_of(Income, game) - {0},
    )
