/*
 * special.h: the programs that special.c's table sends to other files. Each gets one
 * command and returns what it prints, or NULL.
 */
#ifndef POLICYD_SHELL_SPECIAL_H
#define POLICYD_SHELL_SPECIAL_H

#include "policyd/shell/sh.h"

/* net.c */
char *run_fetch(struct sh *sh, struct cmd *c);	 /* curl, wget */
char *run_netcat(struct sh *sh, struct cmd *c);	 /* nc, socat, openssl s_client */
char *run_carrier(struct sh *sh, struct cmd *c); /* mail, ftp, dig */
char *run_ssh(struct sh *sh, struct cmd *c);
char *run_httpie(struct sh *sh, struct cmd *c); /* http, xh */
char *run_server(struct sh *sh, struct cmd *c); /* python -m http.server, serve */
/** run_store_copy(sh, c): what aws s3 cp and its kin bring here. */
void run_store_copy(struct sh *sh, struct cmd *c);
/** remotes_apply(sh, c): read the command that @c runs somewhere else. */
void remotes_apply(struct sh *sh, struct cmd *c);
char *run_copy(struct sh *sh, struct cmd *c); /* scp, rsync */

/* tools.c */
char *run_docker(struct sh *sh, struct cmd *c);
char *run_git(struct sh *sh, struct cmd *c);
char *run_database(struct sh *sh, struct cmd *c);
/** sql_destroys(sh, text): the word of @text that destroys, or NULL. */
const char *sql_destroys(struct sh *sh, const char *text);
char *run_tar(struct sh *sh, struct cmd *c);
char *run_cmake(struct sh *sh, struct cmd *c);

/* process.c */
char *run_kill(struct sh *sh, struct cmd *c); /* kill, pkill, killall ... */
char *run_fuser(struct sh *sh, struct cmd *c);
/** processes_seen(sh, c): remember in sh->foreign whose processes @c looks for. */
void processes_seen(struct sh *sh, struct cmd *c);

#endif
