/*
 * checkpoint.c: taken in by the assembler; the build runs at the root of the tree.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include "agentctl/provider/small/checkpoint.h"
#include "common/cleanup.h"
#include "common/mem.h"

#define TAKE_IN(name, file)                                                          \
	__asm__(".pushsection .rodata\n.balign 64\n"                                 \
		".global " #name "\n.hidden " #name "\n" #name ":\n.incbin \"" file  \
		"\"\n1:\n.byte 0\n.balign 8\n.global " #name "_size\n.hidden " #name \
		"_size\n" #name "_size:\n.quad 1b - " #name "\n.popsection\n")

TAKE_IN(checkpoint_config, "agentctl/model/checkpoint/config.json");
TAKE_IN(checkpoint_tokenizer, "agentctl/model/checkpoint/tokenizer.json");
TAKE_IN(checkpoint_tensors, "agentctl/model/checkpoint/model.safetensors");
TAKE_IN(checkpoint_tools, "agentctl/model/tools.json");

static int read_least(json_object *config, double *least)
{
	json_object *v;

	if (!json_object_object_get_ex(config, "txfs_protocol", &v) ||
		json_object_get_int(v) != 1)
		return -EINVAL;
	*least = json_object_object_get_ex(config, "txfs_least_probability", &v)
			 ? json_object_get_double(v)
			 : 0;
	return 0;
}

int checkpoint_least(const char *dir, double *least, char *message, size_t size)
{
	auto_free char *path = dir ? mem_printf("%s/config.json", dir) : NULL;
	json_object *o = dir ? path ? json_object_from_file(path) : NULL
			     : json_tokener_parse(checkpoint_config);
	int r = o ? read_least(o, least) : -EINVAL;

	json_object_put(o);
	if (r != 0)
		snprintf(message, size,
			"'%s' is no model of agentctl's own protocol (txfs_protocol 1)",
			dir ? dir : "the embedded model");
	return r;
}
