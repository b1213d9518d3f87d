import type { WrittenRequest } from '../../config/policy-test.ts';

/** A port that requests can be sent to. */
export interface KnownTarget {
  /** As `to` has it. */
  readonly to: string;
  /** At the workload. */
  readonly port: number;
  readonly protocol: string;
}

/** What requests to one workload can be made of. */
export interface DraftSurroundings {
  /** Patches that say who the client is; those that look most like the callers of a mesh come first. */
  readonly clients: readonly WrittenRequest[];
  readonly targets: readonly KnownTarget[];
  /** What external authorizers answer; absent: none is asked. */
  readonly authorizer: 'allow' | 'deny' | undefined;
  /** Claims that a token must have that is to be valid. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** One request of several; later ones win, headers and claims are joined. */
export function merged(parts: readonly WrittenRequest[]): WrittenRequest {
  const joined = (field: 'headers' | 'claims'): object => {
    const own = parts.flatMap((part) => part[field] ?? []);
    return own.length === 0 ? {} : { [field]: Object.assign({}, ...own) as object };
  };
  return { ...(Object.assign({}, ...parts) as WrittenRequest), ...joined('headers'), ...joined('claims') };
}
