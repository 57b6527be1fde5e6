/* SPDX-License-Identifier: MIT */
/*
 * DOC: States that are updated in place
 *
 * A decoder's cache of keys and values is a state of which each run changes a row. The run would
 * read it whole, and write it whole to the place of the next one: half of its traffic in DRAM is
 * copying. Front ends note which values are other ones with some rows replaced
 * (loom_graph_note_update()); where such a value is a state, the graph gets the rows and their
 * places as outputs instead, and the session puts the rows into the state after a run that
 * succeeded. Nodes that read the new state compute it from the old one as before, in SRAM.
 *
 * Rejected: a command that stores a row at an index from the data. The plan would read and write
 * one buffer, so that each order of nodes and each group had to keep reads before the write, and a
 * run that is stopped would leave some states changed and some not. Rejected: a binding with the
 * row's offset. The heads of a cache lie apart, so that each had to be a slot.
 */
#ifndef LOOM_GRAPH_UPDATE_H
#define LOOM_GRAPH_UPDATE_H

#include "graph.h"

/** loom_graph_note_update() - tells how a value is computed; 0 or -ENOMEM */
int loom_graph_note_update(struct loom_graph *graph, const struct loom_graph_update *update);
/**
 * loom_graph_update_in_place() - make a state one that is updated in place, if it can be
 * @graph: with room for one more output behind its own for each state
 * @state: bound; &loom_graph_state.places and .axis are changed
 *
 * It can be if its new value was noted to be its old one, with some rows replaced.
 *
 * Return: 0, also if it stays as it was; a negative errno, which is recorded.
 */
int loom_graph_update_in_place(struct loom_graph *graph, struct loom_graph_state *state);

#endif /* LOOM_GRAPH_UPDATE_H */
