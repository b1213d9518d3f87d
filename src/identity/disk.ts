import { type Dirent, type Stats, statSync } from 'node:fs';
import { readdir, realpath, stat, statfs } from 'node:fs/promises';

/** What looking at files asks of the file system. */
export interface Disk {
  /** Undefined for what is absent or may not be looked at. */
  stat(path: string): Promise<Stats | undefined>;
  /** The same at once, on this thread: for file systems that answer from memory. */
  statNow(path: string): Stats | undefined;
  /** Empty for what cannot be listed. */
  list(folder: string): Promise<Dirent[]>;
  /** The path without links; itself where that cannot be told. */
  real(path: string): Promise<string>;
  /** Whether inotify tells of each change below the folder, and a stat waits for nobody: a file system of this machine. */
  isLocal(folder: string): Promise<boolean>;
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
};
