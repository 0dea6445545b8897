/*
 * source.c: bytes to read from, a file or memory that is already there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "agentctl/provider/minimind/source.h"
#include "common/cleanup.h"
#include "common/mem.h"

int source_open(struct source *s, const char *dir, const char *name, struct why *why)
{
	auto_free char *path = mem_printf("%s/%s", dir, name);
	struct stat st;

	memset(s, 0, sizeof *s);
	s->fd = -1;
	snprintf(s->name, sizeof s->name, "%s", name);
	if (!path)
		return why_set(why, -ENOMEM, "cannot open '%s': out of memory", name);
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0)
		return why_set(
			why, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(s->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		source_close(s);
		return why_set(
			why, -EINVAL, "cannot read '%s': not a regular file", path);
	}
	s->size = (uint64_t)st.st_size;
	return 0;
}

void source_memory(struct source *s, const void *data, size_t size, const char *name)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->data = data;
	s->size = size;
	snprintf(s->name, sizeof s->name, "%s", name);
}

void source_close(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->data = NULL;
}

int source_read(const struct source *s, uint64_t at, void *buf, size_t n, struct why *why)
{
	size_t done = 0;
	ssize_t got;

	if (at > s->size || n > s->size - at)
		return why_set(why, -EINVAL, "'%s' is cut short", s->name);
	if (s->data) {
		memcpy(buf, s->data + at, n);
		return 0;
	}
	while (done < n) {
		got = pread(s->fd, (char *)buf + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return why_set(why, -errno, "cannot read '%s': %s", s->name,
				strerror(errno));
		if (got == 0)
			return why_set(why, -EINVAL, "'%s' is cut short", s->name);
		done += (size_t)got;
	}
	return 0;
}

int source_text(const struct source *s, uint64_t most, char **out, struct why *why)
{
	auto_free char *text = NULL;
	int r;

	*out = NULL;
	if (s->size > most)
		return why_set(why, -EFBIG, "'%s' is longer than %llu bytes", s->name,
			(unsigned long long)most);
	text = mem_alloc(s->size + 1);
	if (!text)
		return why_set(why, -ENOMEM, "cannot read '%s': out of memory", s->name);
	r = source_read(s, 0, text, s->size, why);
	if (r != 0)
		return r;
	text[s->size] = 0;
	*out = steal(&text);
	return 0;
}
