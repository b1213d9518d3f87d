import type { Target } from './verdicts.ts';

/** What can happen to a program: it is killed (SIGKILL), stopped for a while (SIGSTOP), or cut off from the others. */
export type FaultKind = 'kill' | 'stop' | 'cut';

/** A program that faults happen to. */
export interface MeshPart {
  readonly name: string;
  readonly faults: readonly FaultKind[];
  /** The workload without an Envoy when the program is killed; absent: calls must not notice anything. */
  readonly envoyOf?: string;
  /** Policies are given to it: while it is away there is nobody to take them. */
  readonly takesPolicies?: boolean;
  begin(fault: FaultKind): Promise<void>;
  /** Undoes it; returns when the program works again. */
  end(fault: FaultKind): Promise<void>;
}

/** A mesh that runs while faults happen to its parts. */
export interface SoakedMesh {
  /** By kind: as many faults happen to each kind. */
  readonly parts: readonly (readonly MeshPart[])[];
  readonly targets: readonly (Target & { readonly status: number })[];
  /** The target of which policies change. */
  readonly changing: string;
  /** Decides that the changing target is let in, or is not. */
  decide(isLetIn: boolean): Promise<void>;
  /** Starts the probe clients; gives all that they have printed so far. */
  startCalls(): Promise<() => Promise<string>>;
  /** Whether every proxy is connected and has what it is to have. */
  isWell(): Promise<boolean>;
  /** How many certificates were signed so far. */
  countCertificates(): Promise<number>;
  /** What the memory script prints. */
  listMemory(): Promise<string>;
  close(): Promise<void>;
}
