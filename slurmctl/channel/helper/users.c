/*
 * Users by id and by name. Each is looked up once: libc reads /etc/passwd at each question, and a state of a thousand
 * jobs asks a thousand times. One that is not known is asked for again.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

struct users {
	struct user {
		uid_t id;
		char *name;
	} *user;
	size_t count, room;
};

/* Apart, since several names may have one id, of which only the first is its name. */
static struct users by_id, by_name;

static struct user *remember(struct users *known, const struct passwd *entry)
{
	if (!entry)
		return NULL;
	if (known->count == known->room) {
		known->room = known->room ? 2 * known->room : 16;
		known->user = realloc(known->user, known->room * sizeof(*known->user));
		if (!known->user)
			abort();
	}
	struct user *u = &known->user[known->count++];
	*u = (struct user) { entry->pw_uid, strdup(entry->pw_name) };
	if (!u->name)
		abort();
	return u;
}

const char *name_of_user(uid_t id)
{
	for (size_t i = 0; i < by_id.count; i++)
		if (by_id.user[i].id == id)
			return by_id.user[i].name;
	struct user *u = remember(&by_id, getpwuid(id));
	return u ? u->name : NULL;
}

bool id_of_user(const char *name, uid_t *id)
{
	struct user *u = NULL;

	for (size_t i = 0; i < by_name.count && !u; i++)
		if (!strcmp(by_name.user[i].name, name))
			u = &by_name.user[i];
	if (!u)
		u = remember(&by_name, getpwnam(name));
	if (u)
		*id = u->id;
	return u;
}
