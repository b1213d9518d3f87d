import { randomInt } from 'node:crypto';
import type { KubernetesApi } from '../../kubernetes/api.ts';
import { ApiRefusal, KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import { Reflector } from '../../kubernetes/reflector.ts';
import { type ApiObject, pathOf, type ResourceType } from '../../kubernetes/resource-type.ts';
import { delay } from '../../lib/abort.ts';
import type { PlainLog } from '../../lib/log.ts';
import { ControlError } from '../control-error.ts';
import { CertificateAuthority } from './authority.ts';
import { ownAuthoritySecret, pluggedInSecret, readAuthoritySecret, selfSignedSecret } from './authority-secret.ts';
import { isRenewalDue, makeOwnRoot, type OwnRootOptions, renewOwnRoot } from './own-root.ts';
import type { Signer } from './signer.ts';

/** The API server and namespace of a CA's Secrets. */
export interface SecretPlace {
  readonly api: KubernetesApi;
  readonly namespace: string;
}

export interface SecretAuthorityOptions extends OwnRootOptions, SecretPlace {
  readonly log: PlainLog;
  /** Called when what the Secret holds now is refused. */
  readonly refused?: () => void;
  /** Between two looks at how long a root of our own has left, give or take a half. */
  readonly renewalCheckMs: number;
  /** For so long a start waits for an API server that does not answer as it should. */
  readonly startMs?: number;
  /** Ends that wait. */
  readonly stop?: AbortSignal | undefined;
}

const secrets: ResourceType = { group: '', version: 'v1', kind: 'Secret', resource: 'secrets', isNamespaced: true };
const usualStartMs = 60_000;
const deadlineMs = 10_000;

/**
 * Opens the CA in the Secrets of a namespace: `cacerts` if it exists, else `istio-ca-secret`, which the first start creates.
 * Of replicas that start together one creates it, and the others read it. Later changes of the Secret are followed, as
 * changes of files are. Throws `ControlError` with the reason; no message quotes data of a Secret.
 */
export async function openSecretAuthority(
  options: SecretAuthorityOptions,
): Promise<{ readonly authority: CertificateAuthority; close(): void }> {
  const { clock, log } = options;
  const secret = await settled(() => readOrMake(options), options);
  const { name } = secret.metadata;
  const signer = checked(secret, clock());
  const kind = name === pluggedInSecret ? 'plugged in' : 'self-signed';
  log.info(`the certificate authority is ${kind}`, { secret: placeOf(secret), root: signer.rootFingerprint });
  const authority = new CertificateAuthority(signer, clock);
  const follower = follow(authority, name, options);
  const stopRenewals = name === selfSignedSecret ? keepRenewed(options) : () => undefined;
  return {
    authority,
    close: () => {
      stopRenewals();
      follower.close();
    },
  };
}

/** Tries until the server answers; what it refuses for lack of a right may be granted a moment later too. */
async function settled<T>(
  attempt: () => Promise<T>,
  { log, startMs = usualStartMs, stop }: SecretAuthorityOptions,
): Promise<T> {
  const deadline = performance.now() + startMs;
  for (let pauseMs = 250, told = ''; ; pauseMs = Math.min(2 * pauseMs, 5_000)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      const message = `the certificate authority cannot be read from the cluster: ${withoutBody(error)}`;
      if (stop?.aborted || performance.now() + pauseMs > deadline)
        throw new ControlError('authority-unusable', message, { cause: error });
      if (message !== told) log.warn(message);
      told = message;
      await delay(pauseMs, stop);
    }
  }
}

async function readOrMake(options: SecretAuthorityOptions): Promise<ApiObject> {
  const found = (await read(options, pluggedInSecret)) ?? (await read(options, selfSignedSecret));
  if (found !== undefined) return renewed(found, options);
  const { api, namespace, log } = options;
  const body = ownAuthoritySecret(await makeOwnRoot(options), namespace);
  try {
    const made = await api.ask<ApiObject>({ method: 'POST', path: pathOf(secrets, namespace), body, deadlineMs });
    log.info('a certificate authority was created', { secret: placeOf(made) });
    return made;
  } catch (error) {
    if (!isConflict(error)) throw error;
    // Another replica was faster: its root is the one.
    const others = await read(options, selfSignedSecret);
    if (others === undefined) throw error;
    return others;
  }
}

/** A root of our own that ends soon is written anew; who finds that another replica did so takes that one's. */
async function renewed(secret: ApiObject, options: SecretAuthorityOptions): Promise<ApiObject> {
  const { api, namespace, clock } = options;
  const { name, resourceVersion } = secret.metadata;
  if (name !== selfSignedSecret) return secret;
  const signer = checked(secret, clock());
  if (!isRenewalDue(signer, clock())) return secret;
  const { before, ...root } = await renewOwnRoot(signer, clock);
  const next = ownAuthoritySecret(root, namespace, before);
  const body = { ...next, type: secret.type, metadata: { ...next.metadata, resourceVersion } };
  try {
    return await api.ask<ApiObject>({ method: 'PUT', path: pathOf(secrets, namespace, name), body, deadlineMs });
  } catch (error) {
    if (!isConflict(error)) throw error;
    return (await read(options, name)) ?? secret;
  }
}

async function read({ api, namespace }: SecretPlace, name: string): Promise<ApiObject | undefined> {
  try {
    return await api.ask<ApiObject>({ path: pathOf(secrets, namespace, name), deadlineMs });
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return undefined;
    throw error;
  }
}

function checked(secret: ApiObject, nowMs: number): Signer {
  const { signer, problem } = readAuthoritySecret(secret, nowMs);
  if (signer === undefined) throw new ControlError('authority-unusable', problem);
  return signer;
}

/** Puts into force what the Secret becomes, where it is good; one that is deleted, or not readable, changes nothing. */
function follow(authority: CertificateAuthority, name: string, options: SecretAuthorityOptions): Reflector {
  const { api, namespace, clock, log, refused } = options;
  const refuse = (reason: string): void => {
    refused?.();
    log.error('the certificate authority stays as it was', { reason });
  };
  const adopt = (secret: ApiObject): void => {
    const { signer, problem } = readAuthoritySecret(secret, clock());
    const before = authority.signer;
    const reason = signer === undefined ? problem : authority.adopt(signer);
    if (reason !== undefined) refuse(reason);
    if (authority.signer === before) return;
    const { rootFingerprint: root, fingerprint } = authority.signer;
    log.info('another certificate authority is in force', { root, authority: fingerprint });
  };
  const gone = (): void =>
    refuse(`the Secret ${namespace}/${name} is gone; without it the next start makes another root`);
  const reflector = new Reflector({
    ...{ api, type: secrets, namespace, name },
    sink: {
      replace: ([secret]) => (secret === undefined ? gone() : adopt(secret)),
      ...{ set: adopt, delete: gone, unserved: gone },
    },
    onState: ({ problem }) => {
      if (problem !== undefined)
        log.warn('the Secret of the certificate authority is not followed now', { reason: problem });
    },
  });
  reflector.start();
  return reflector;
}

/** A program that runs for years renews its root as a start would. */
function keepRenewed(options: SecretAuthorityOptions): () => void {
  const { log, refused, renewalCheckMs } = options;
  const ended = new AbortController();
  const run = async (): Promise<void> => {
    for (;;) {
      await delay(renewalCheckMs / 2 + randomInt(renewalCheckMs), ended.signal);
      if (ended.signal.aborted) return;
      try {
        const secret = await read(options, selfSignedSecret);
        // That it is gone has been told; what it becomes is followed.
        if (secret !== undefined) await renewed(secret, options);
      } catch (error) {
        refused?.();
        log.error('the root cannot be renewed', { reason: withoutBody(error as Error) });
      }
    }
  };
  void run();
  return () => ended.abort();
}

/** Servers, and whoever stands before them, may quote a request that they do not take; those who lack a right are told which. */
function withoutBody(error: Error): string {
  if (!(error instanceof ApiRefusal) || [401, 403, 404, 429].includes(error.status)) return error.message;
  return error.message.replace(/ \(.*/s, error.reason && ` (${error.reason})`);
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiRefusal && error.status === 409;
}

function placeOf({ metadata }: ApiObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
