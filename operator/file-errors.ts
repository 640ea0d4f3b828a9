/** Why a file cannot be used, in a clause, and what to do. */
export interface FileFailure {
  readonly reason: string
  readonly fix: string
}

const freeSpace = 'free space, or write to another disk, and run the command again'
const allow = 'give this user the right to it, or name another path'
const correctPath = 'correct the path'

/** By the codes of Node. */
const failures: Readonly<Record<string, FileFailure>> = {
  ENOSPC: { reason: 'no space is left', fix: freeSpace },
  EDQUOT: { reason: "this user's disk quota is used up", fix: freeSpace },
  EFBIG: { reason: 'the file is larger than the file system or a limit of this user allows', fix: freeSpace },
  EACCES: { reason: 'permission denied', fix: allow },
  EPERM: { reason: 'the operation is not permitted', fix: allow },
  EROFS: { reason: 'the file system is read-only', fix: 'name a path on another file system' },
  ENOENT: { reason: 'no such file or directory', fix: correctPath },
  ENOTDIR: { reason: 'a part of the path is not a directory', fix: correctPath },
  EEXIST: { reason: 'a part of the path is not a directory', fix: correctPath },
  EISDIR: { reason: 'it is a directory', fix: 'name a file' },
  ELOOP: { reason: 'its symbolic links form a circle', fix: correctPath },
  ENAMETOOLONG: { reason: 'the name is too long', fix: 'name a shorter path' },
  EMFILE: { reason: 'too many files are open', fix: 'raise the limit (ulimit -n)' },
  EIO: { reason: 'the disk failed', fix: 'check the disk, or name a path on another one' },
}

/** What was tried, by the system call. Sockets have other calls, so their errors are none of a file. */
const verbs: Readonly<Record<string, string>> = {
  open: 'open',
  stat: 'read',
  lstat: 'read',
  read: 'read',
  scandir: 'read',
  write: 'write',
  writev: 'write',
  fsync: 'write',
  mkdir: 'create',
  mkdtemp: 'create',
  copyfile: 'write',
  rename: 'write',
  rm: 'delete',
  unlink: 'delete',
}

/** Undefined unless the system refused to read or write a file for a reason that people can remove. */
export function findFileFailure(error: unknown): FileFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { syscall = '', code = '' } = error as NodeJS.ErrnoException
  return Object.hasOwn(verbs, syscall) ? failures[code] : undefined
}

/** The same as what to print for an error of which nothing else is known. */
export function explainFileError(error: unknown): { message: string; fix: string } | undefined {
  const failure = findFileFailure(error)
  if (!failure) return undefined
  const { syscall = '', path = 'a file' } = error as NodeJS.ErrnoException
  return { message: `Cannot ${verbs[syscall]} ${path}: ${failure.reason}.`, fix: failure.fix }
}
