import { type Dirent, type Stats, statSync } from 'node:fs';
import { readdir, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { MountPoints } from './mount-points.ts';

/** What looking at files asks of the file system. */
export interface Disk {
  /** Undefined for what is absent or may not be looked at. */
  stat(path: string): Promise<Stats | undefined>;
  /** The same at once, on this thread: for file systems that answer from memory. */
  statNow(path: string): Stats | undefined;
  /** Empty for what cannot be listed. */
  list(folder: string): Promise<Dirent[]>;
  /** The path without links; the path itself if it can't be resolved. */
  real(path: string): Promise<string>;
  /** Whether the folder is on a local file system: inotify reports each change, and a stat does not wait for a network. */
  isLocal(folder: string): Promise<boolean>;
  /** A file that is one may lie on another file system than its folder, and changes where its own folder is. */
  mounts(): Promise<MountPoints>;
}

/**
 * Names of the plain files of a folder that are on a local file system: inotify reports their changes, and a stat does not
 * wait for a network. Links and mounts may lead to other file systems, so they are left out.
 */
export async function promptFiles(folder: string, disk: Disk, mounts: MountPoints): Promise<ReadonlySet<string>> {
  if (!(await disk.isLocal(folder))) return new Set();
  const files = (await disk.list(folder)).filter((entry) => entry.isFile()).map(({ name }) => name);
  const mounted = await mounts.among(files, () => disk.real(folder));
  return new Set(files.filter((name) => !mounted.has(name)));
}

/**
 * `f_type` of statfs(2): ext2 to ext4, XFS, btrfs, tmpfs, overlayfs, F2FS, ZFS, bcachefs, ramfs. On any other (NFS,
 * SMB, 9p, FUSE, virtiofs …) others than this kernel may write, of whom inotify(7) does not tell.
 */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x858458f6,
]);

export const systemDisk: Disk = {
  stat: (path) => stat(path).catch(() => undefined),
  statNow: (path) => {
    try {
      return statSync(path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  },
  list: (folder) => readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []),
  real: (path) => realpath(path).catch(() => path),
  isLocal: (folder) =>
    statfs(folder).then(
      ({ type }) => localTypes.has(type),
      () => false,
    ),
  mounts: async () => new MountPoints(await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')),
};
