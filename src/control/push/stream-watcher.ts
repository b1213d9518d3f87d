import type { SentNote, StreamScope } from '../../xds/scope.ts';
import type { Position } from '../registry/position.ts';
import type { MeshSnapshot } from './mesh-snapshot.ts';
import type { ObjectChanges } from './object-versions.ts';
import type { StreamOwner } from './proxy-stream.ts';

/** A stream as watchers see it. */
export interface WatchedStream extends Pick<StreamScope, 'sourceOf'> {
  readonly owner: StreamOwner;
}

/** Where a snapshot comes from. */
export interface SnapshotOrigin {
  /** Digest of the inputs. */
  readonly version: string;
  /** Full id of the commit that the inputs are of; absent: they are of none. */
  readonly commit?: string | undefined;
  /** How far the inputs were read; absent: nobody can tell. */
  readonly position?: Position | undefined;
  /** Absent: nobody tracks objects. */
  readonly objects?: ObjectChanges | undefined;
  /** Unix milliseconds. */
  readonly times: CompileTimes;
}

/** Times of a snapshot's compilation, in Unix milliseconds. */
export interface CompileTimes {
  /** The first change was seen. */
  readonly changedMs: number;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Observes snapshots, and their distribution to proxies. */
export interface StreamWatcher {
  /** A snapshot is to be served; no stream has it yet. */
  updated?(snapshot: MeshSnapshot, origin: SnapshotOrigin): void;
  opened?(stream: WatchedStream): void;
  /** A change waits for its turn. */
  queued?(stream: WatchedStream): void;
  /** From now on the stream is sent the snapshot in force. */
  taken?(stream: WatchedStream): void;
  sent?(stream: WatchedStream, response: SentNote): void;
  answered?(stream: WatchedStream, answer: { readonly nonce: string; readonly refusal: string | undefined }): void;
  /** The client says that it has everything of the type that it is to have now. */
  complete?(stream: WatchedStream, typeUrl: string): void;
  /** Everything is sent and answered. */
  settled?(stream: WatchedStream): void;
  closed?(stream: WatchedStream): void;
}
