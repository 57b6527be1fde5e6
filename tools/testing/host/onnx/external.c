// SPDX-License-Identifier: MIT
/* Constants with data in a file beside the model, and names of files that want something else. */
#include "graph/graph.h"
#include "loom_core.h"
#include "onnx/proto.h"
#include "onnx/source.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ELEMS	4
/* more than what is copied */
#define MANY	2000
#define EXCHANGES	5000

static char folder[32];
static const float floats[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const char *in_folder(const char *name)
{
	static char path[2][200];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static void write_file(const char *name, const void *bytes, size_t size_bytes)
{
	FILE *file = fopen(in_folder(name), "wb");

	if (!file || fwrite(bytes, 1, size_bytes, file) != size_bytes || fclose(file))
		tap_fatal("cannot write %s", name);
}

/**
 * struct written - what the file of a model says of the data of its constant
 * @location: NULL: nothing
 * @offset: NULL: nothing
 * @length: NULL: nothing
 * @in_node: the constant is the attribute of a node
 * @raw: its elements, which are in the model
 * @elems: ELEMS unless it is set
 * @data_type: ONNX's number, FLOAT unless it is set
 */
struct written {
	const char *location;
	const char *offset;
	const char *length;
	bool in_node;
	const void *raw;
	int64_t elems;
	int data_type;
};

static void add_entry(Onnx__TensorProto *tensor, const char *key, const char *value)
{
	Onnx__StringStringEntryProto *entry = tensor->external_data[tensor->n_external_data];

	if (!value)
		return;
	entry->key = (char *)key;
	entry->value = (char *)value;
	tensor->n_external_data++;
}

static Onnx__OperatorSetIdProto *opset(void)
{
	static Onnx__OperatorSetIdProto opset;

	onnx__operator_set_id_proto__init(&opset);
	opset.has_version = 1;
	opset.version = 13;
	return &opset;
}

/* A constant w of four floats, and a node Constant where that is to have it; an output w. */
static void write_model(const char *name, const struct written *written)
{
	Onnx__StringStringEntryProto entries[3], *entry[] = {
		&entries[0], &entries[1], &entries[2] };
	Onnx__AttributeProto attr = ONNX__ATTRIBUTE_PROTO__INIT, *attrs = &attr;
	Onnx__ValueInfoProto output = ONNX__VALUE_INFO_PROTO__INIT, *outputs = &output;
	Onnx__OperatorSetIdProto *opsets = opset();
	Onnx__TensorProto tensor = ONNX__TENSOR_PROTO__INIT, *tensors = &tensor;
	Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
	Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
	Onnx__NodeProto node = ONNX__NODE_PROTO__INIT, *nodes = &node;
	char *constant = "w";
	int64_t dims = written->elems ? written->elems : ELEMS;
	static uint8_t bytes[1000 + MANY * sizeof(int64_t)];
	int i;

	for (i = 0; i < 3; i++)
		onnx__string_string_entry_proto__init(&entries[i]);
	tensor.name = constant;
	tensor.n_dims = 1;
	tensor.dims = &dims;
	tensor.has_data_type = 1;
	tensor.data_type = written->data_type ? written->data_type : 1;
	tensor.has_raw_data = !!written->raw;
	tensor.raw_data.data = (uint8_t *)written->raw;
	tensor.raw_data.len = (size_t)dims * (tensor.data_type == 1 ? 4 : 8);
	tensor.has_data_location = !written->raw;
	tensor.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	tensor.external_data = entry;
	add_entry(&tensor, "location", written->location);
	add_entry(&tensor, "offset", written->offset);
	add_entry(&tensor, "length", written->length);
	if (written->in_node) {
		attr.name = "value";
		attr.has_type = 1;
		attr.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
		attr.t = &tensor;
		node.op_type = "Constant";
		node.n_output = 1;
		node.output = &constant;
		node.n_attribute = 1;
		node.attribute = &attrs;
		graph.n_node = 1;
		graph.node = &nodes;
	} else {
		graph.n_initializer = 1;
		graph.initializer = &tensors;
	}
	output.name = constant;
	graph.n_output = 1;
	graph.output = &outputs;
	model.n_opset_import = 1;
	model.opset_import = &opsets;
	model.graph = &graph;
	if (onnx__model_proto__get_packed_size(&model) > sizeof(bytes))
		tap_fatal("too large");
	write_file(name, bytes, onnx__model_proto__pack(&model, bytes));
}

/* The constant of a model, which @graph owns; NULL, with the error as a note, if it has none. */
static const struct loom_value *import_constant(const struct written *written,
						struct loom_graph **graph)
{
	const struct loom_value *value = NULL;
	struct loom_error err = { .text = "" };

	write_model("model.onnx", written);
	if (!loom_graph_import_onnx(in_folder("model.onnx"), NULL, graph, &err))
		value = loom_names_find(&(*graph)->source->values, "w");
	if (!value)
		tap_note("%s", err.text);
	return value;
}

/* The four floats from @first on. */
static void expect_floats(const struct written *written, uint32_t first, const char *what)
{
	struct loom_graph *graph;
	const struct loom_value *value = import_constant(written, &graph);

	tap_ok(value && value->data && value->num_elems == ELEMS &&
	       !memcmp(value->data, &floats[first], ELEMS * sizeof(float)), "%s", what);
	loom_graph_destroy(graph);
}

/* A constant of MANY elements, in a mapped file or copied; folding may add 8 times that. */
static void expect_mapped(const struct written *written, bool mapped, const char *what)
{
	struct loom_graph *graph;
	const struct loom_value *value = import_constant(written, &graph);

	tap_ok(value && value->num_elems == MANY && loom_value_float(value, MANY - 1) == MANY - 1 &&
	       loom_pool_has_mapped(graph->pool, value->data) == mapped &&
	       graph->most_grown_bytes == (512 << 20) + 8 * value->size_bytes, "%s", what);
	loom_graph_destroy(graph);
}

/* Behind a byte, so that they have no alignment. */
static void large_constants_stay_in_their_file(void)
{
	static struct __attribute__((packed)) {
		uint8_t gap;
		float floats[MANY];
	} many;
	static int64_t ints[MANY];
	int i;

	for (i = 0; i < MANY; i++) {
		many.floats[i] = (float)i;
		ints[i] = i;
	}
	write_file("many.bin", &many, sizeof(many));
	write_file("ints.bin", ints, sizeof(ints));
	expect_mapped(&(struct written){ .location = "many.bin", .offset = "1", .elems = MANY },
		      true, "many floats beside the model stay there");
	expect_mapped(&(struct written){ .raw = many.floats, .elems = MANY }, true,
		      "many floats of the model stay there");
	expect_mapped(&(struct written){ .raw = many.floats, .elems = MANY, .in_node = true }, true,
		      "many floats of a node stay there");
	expect_mapped(&(struct written){ .location = "ints.bin", .elems = MANY, .data_type = 7 },
		      false, "integers, which may be indices, do not");
	expect_mapped(&(struct written){ .raw = ints, .elems = MANY, .data_type = 7 }, false,
		      "nor integers of the model");
}

static void expect_line(const struct written *written, int code, const char *line)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	int got;

	write_model("model.onnx", written);
	got = loom_graph_import_onnx(in_folder("model.onnx"), NULL, &graph, &err);
	tap_ok(got == code && !graph && !strcmp(err.text, line), "%s", line);
	if (got != code || strcmp(err.text, line))
		tap_note("got %d: %s", got, err.text);
}

static void data_beside_the_model(void)
{
	expect_floats(&(struct written){ .location = "w.bin" }, 0, "from the beginning");
	expect_floats(&(struct written){ .location = "w.bin", .offset = "16", .length = "16" }, 4,
		      "from an offset, with a length");
	expect_floats(&(struct written){ .location = "w.bin", .offset = "4", .in_node = true }, 1,
		      "of a node");
	expect_floats(&(struct written){ .location = "sub/w.bin", .offset = "0" }, 0,
		      "in a folder beside it");
	expect_floats(&(struct written){ .location = "inside" }, 0, "by a link that stays inside");
	expect_floats(&(struct written){ .location = "whole" }, 0, "and by one with a whole path");
	expect_floats(&(struct written){ .location = "hard" }, 0, "by a hard link");
}

static void data_elsewhere(void)
{
	expect_line(&(struct written){ .location = "../w.bin" }, -EACCES,
		    "model.onnx: constant \"w\": file \"../w.bin\" is not in the model's folder");
	expect_line(&(struct written){ .location = "sub/.." }, -EACCES,
		    "model.onnx: constant \"w\": file \"sub/..\" is not in the model's folder");
	expect_line(&(struct written){ .location = "/etc/passwd" }, -EACCES,
		    "model.onnx: constant \"w\": file \"/etc/passwd\" is not in the model's folder");
	expect_line(&(struct written){ .location = "outside" }, -EACCES,
		    "model.onnx: constant \"w\": file \"outside\" is not in the model's folder");
	expect_line(&(struct written){ .location = "up/passwd" }, -EACCES,
		    "model.onnx: constant \"w\": file \"up/passwd\" is not in the model's folder");
}

/*
 * Another process exchanges folder "sub" and a link to a folder elsewhere. Either the model's data
 * are read or it is refused; those of elsewhere are never read.
 */
static void folders_that_are_exchanged(void)
{
	static const float secret[ELEMS] = { 66, 66, 66, 66 };
	unsigned int i, right = 0, refused = 0, wrong = 0;
	const struct loom_value *value;
	struct loom_graph *graph;
	struct loom_error err;
	pid_t child;

	if (mkdir(in_folder("net"), 0700) || mkdir(in_folder("net/sub"), 0700) ||
	    mkdir(in_folder("far"), 0700) || symlink("../far", in_folder("net/evil")))
		tap_fatal("cannot make folders");
	write_file("net/sub/w.bin", floats, sizeof(floats));
	write_file("far/w.bin", secret, sizeof(secret));
	write_model("net/model.onnx", &(struct written){ .location = "sub/w.bin" });
	child = fork();
	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!child)
		renameat2(AT_FDCWD, in_folder("net/sub"), AT_FDCWD, in_folder("net/evil"),
			  RENAME_EXCHANGE);
	for (i = 0; i < EXCHANGES; i++) {
		if (loom_graph_import_onnx(in_folder("net/model.onnx"), NULL, &graph, &err)) {
			refused += !!strstr(err.text, "is not in the model's folder");
			continue;
		}
		value = loom_names_find(&graph->source->values, "w");
		right += !memcmp(value->data, floats, sizeof(secret));
		wrong += !memcmp(value->data, secret, sizeof(secret));
		loom_graph_destroy(graph);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	tap_ok(!wrong && right + refused == EXCHANGES,
	       "folders are exchanged meanwhile: %u read, %u refused, %u read elsewhere", right,
	       refused, wrong);
}

static void data_that_are_wrong(void)
{
	expect_line(&(struct written){ .location = "w.bin", .offset = "20" }, -EINVAL,
		    "model.onnx: constant \"w\": its 16 bytes are at 20 of file \"w.bin\", which has 32");
	expect_line(&(struct written){ .location = "w.bin", .offset = "99999999999999999999" },
		    -EINVAL,
		    "model.onnx: constant \"w\": its offset \"99999999999999999999\" is no number");
	expect_line(&(struct written){ .location = "w.bin", .length = "12" }, -EINVAL,
		    "model.onnx: constant \"w\": its data do not fit its shape");
	expect_line(&(struct written){ .location = "w.bin", .offset = "-4" }, -EINVAL,
		    "model.onnx: constant \"w\": its offset \"-4\" is no number");
	expect_line(&(struct written){ .location = "w.bin", .length = "" }, -EINVAL,
		    "model.onnx: constant \"w\": its length \"\" is no number");
	expect_line(&(struct written){ .offset = "4" }, -EINVAL,
		    "model.onnx: constant \"w\": its data are in another file that has no name");
	expect_line(&(struct written){ .location = "none.bin" }, -ENOENT,
		    "model.onnx: constant \"w\": file \"none.bin\": No such file or directory");
	expect_line(&(struct written){ .location = "sub" }, -EINVAL,
		    "model.onnx: constant \"w\": \"sub\" is not a file");
	expect_line(&(struct written){ .location = "pipe" }, -EINVAL,
		    "model.onnx: constant \"w\": \"pipe\" is not a file");
	expect_line(&(struct written){ .location = "none.bin", .in_node = true }, -ENOENT,
		    "model.onnx: node \"\": attribute value: file \"none.bin\": No such file or directory");
}

static void a_model_in_memory(void)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;
	const void *bytes;
	size_t size_bytes;
	void *owned;

	write_model("model.onnx", &(struct written){ .location = "w.bin" });
	if (loom_onnx_read_file(in_folder("model.onnx"), NULL, &bytes, &size_bytes, &owned, &err))
		tap_fatal("%s", err.text);
	tap_ok(loom_graph_import_onnx_bytes(bytes, size_bytes, "bytes", NULL, &graph, &err) ==
	       -EOPNOTSUPP && strstr(err.text, "there is no folder for it"),
	       "a model in memory has no folder: %s", err.text);
	free(owned);
}

/* The model named without a folder, and by a link from another one. */
static void names_of_the_model(void)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph;

	write_model("model.onnx", &(struct written){ .location = "w.bin" });
	if (chdir(folder))
		tap_fatal("no folder");
	tap_ok(!loom_graph_import_onnx("model.onnx", NULL, &graph, &err),
	       "a name without a folder %s", err.text);
	loom_graph_destroy(graph);
	if (chdir("/"))
		tap_fatal("no folder");
	tap_ok(loom_graph_import_onnx(in_folder("sub/link.onnx"), NULL, &graph, &err) == 0,
	       "a link to a model counts from its own folder %s", err.text);
	loom_graph_destroy(graph);
}

static void make_files(void)
{
	snprintf(folder, sizeof(folder), "/tmp/loom-external-XXXXXX");
	if (!mkdtemp(folder) || mkdir(in_folder("sub"), 0700) ||
	    mkfifo(in_folder("pipe"), 0600) || symlink("w.bin", in_folder("inside")) ||
	    symlink("/etc/passwd", in_folder("outside")) || symlink("/etc", in_folder("up")) ||
	    symlink("../model.onnx", in_folder("sub/link.onnx")))
		tap_fatal("cannot make files");
	write_file("w.bin", floats, sizeof(floats));
	write_file("sub/w.bin", floats, sizeof(floats));
	if (link(in_folder("w.bin"), in_folder("hard")) ||
	    symlink(in_folder("w.bin"), in_folder("whole")))
		tap_fatal("cannot make links");
}

static void remove_files(void)
{
	static const char * const names[] = {
		"net/sub/w.bin", "net/evil/w.bin", "far/w.bin", "net/sub", "net/evil",
		"net/model.onnx", "net", "far", "hard", "whole", "sub/link.onnx", "sub/w.bin",
		"sub", "pipe", "inside", "outside", "up", "w.bin", "many.bin", "ints.bin",
		"model.onnx", "",
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		remove(in_folder(names[i]));
}

int main(void)
{
	make_files();
	data_beside_the_model();
	large_constants_stay_in_their_file();
	data_elsewhere();
	folders_that_are_exchanged();
	data_that_are_wrong();
	a_model_in_memory();
	names_of_the_model();
	remove_files();
	return tap_end();
}
