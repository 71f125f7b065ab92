"""What the agents that look ahead share.

    state.py       a game is saved, loaded, and compared with another
    moves.py       the moves that are looked at: an advance, and the best placements of each patch on offer; a leather
                   is placed at once, by rule
    tree.py        nodes, and the tree of the turn before used again
    features.py    what a position looks like, in small whole numbers
    evaluation.py  what a position is worth, by hand-made weights or by the learned network

A search plays on the arena of the game itself, and leaves it as it found it.
"""
