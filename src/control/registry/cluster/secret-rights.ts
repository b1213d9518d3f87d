import { reviewAccess } from '../../../kubernetes/access-review.ts';
import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { KubernetesError } from '../../../kubernetes/kubernetes-error.ts';
import { delay, within } from '../../../lib/abort.ts';

/** A Secret, and the service account of a gateway that is to show it; both are of one namespace. */
export interface SecretWish {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly secret: string;
}

/** Decides which gateways are given which Secrets. */
export interface SecretRights {
  /** From now on these are wished for, and no others. Resolves when they are settled, or nobody can be waited for longer. */
  want(wishes: readonly SecretWish[]): Promise<void>;
  /** By what is known; what nobody knows is refused. */
  allows(wish: SecretWish): boolean;
}

export interface AccountRightsOptions {
  readonly api: Pick<KubernetesApi, 'ask'>;
  /** A wish is allowed now that was not, or the other way round. */
  readonly onChange: () => void;
  readonly onProblem: (text: string) => void;
  /** What is allowed is asked for again after so long. */
  readonly allowedMs?: number;
  /** What is not, or could not be asked. */
  readonly refusedMs?: number;
}

interface Right {
  readonly wish: SecretWish;
  /** Undefined: nobody knows yet. */
  isAllowed: boolean | undefined;
  /** Next question. */
  dueMs: number;
  told: string | undefined;
}

/** A compilation waits so long for answers about wishes that are new. */
const waitMs = 2_000;
const atOnce = 8;
const lookEveryMs = 1_000;

/**
 * Asks the API server whether the account of a gateway may `get` the Secret that it is to show, and asks again from time to
 * time. While the server does not answer, its last answer counts; where it never did, the Secret is not given.
 */
export class AccountRights implements SecretRights {
  readonly #options: AccountRightsOptions;
  readonly #ended = new AbortController();
  #rights = new Map<string, Right>();
  #looking = Promise.resolve(false);
  #isRunning = false;

  constructor(options: AccountRightsOptions) {
    this.#options = options;
  }

  async want(wishes: readonly SecretWish[]): Promise<void> {
    const before = this.#rights;
    this.#rights = new Map(
      wishes.map((wish) => {
        const key = keyOf(wish);
        return [key, before.get(key) ?? { wish, isAllowed: undefined, dueMs: 0, told: undefined }];
      }),
    );
    const isNew = [...this.#rights.keys()].some((key) => !before.has(key));
    if (isNew) {
      const looking = this.#lookNow();
      const isSettled = (await within(waitMs, looking)) !== undefined;
      if (!isSettled) void looking.then((isOther) => this.#changed(isOther));
    }
    if (!this.#isRunning && this.#rights.size > 0) void this.#run();
  }

  allows(wish: SecretWish): boolean {
    return this.#rights.get(keyOf(wish))?.isAllowed === true;
  }

  close(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#ended;
    while (!signal.aborted && this.#rights.size > 0) {
      await delay(lookEveryMs, signal);
      this.#changed(await this.#lookNow());
    }
    this.#isRunning = false;
  }

  #changed(isOther: boolean): void {
    if (isOther && !this.#ended.signal.aborted) this.#options.onChange();
  }

  /** After the look that is in progress, which may not know what is new. Resolves with whether an answer is another one. */
  #lookNow(): Promise<boolean> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<boolean> {
    const nowMs = performance.now();
    const due = [...this.#rights.values()].filter(({ dueMs }) => dueMs <= nowMs).values();
    let isOther = false;
    const askNext = async (): Promise<void> => {
      for (const right of due) {
        if (this.#ended.signal.aborted) return;
        const before = right.isAllowed;
        await this.#ask(right);
        isOther ||= before !== right.isAllowed;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, askNext));
    return isOther;
  }

  async #ask(right: Right): Promise<void> {
    const { api, allowedMs = 60_000, refusedMs = 10_000 } = this.#options;
    const { namespace, serviceAccount, secret: name } = right.wish;
    const account = { namespace, serviceAccount };
    try {
      const wish = { account, verb: 'get', group: '', resource: 'secrets', namespace, name } as const;
      right.isAllowed = await reviewAccess(api, wish, this.#ended.signal);
      const what = `the gateways of the service account ${namespace}/${serviceAccount} are not given the Secret ${namespace}/${name}, which their Gateway names, since the account may not get it: allow it by a Role`;
      this.#tell(right, right.isAllowed ? undefined : what);
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      const what = `whether the service account ${namespace}/${serviceAccount} may get the Secret ${namespace}/${name} is not known now`;
      this.#tell(right, `${what}: ${error.message}`);
    }
    // Those of one start do not stay together.
    right.dueMs = performance.now() + (right.isAllowed ? allowedMs : refusedMs) * (0.75 + Math.random() / 4);
  }

  #tell(right: Right, problem: string | undefined): void {
    if (problem !== undefined && problem !== right.told && !this.#ended.signal.aborted)
      this.#options.onProblem(problem);
    right.told = problem;
  }
}

function keyOf({ namespace, serviceAccount, secret }: SecretWish): string {
  return `${namespace}/${serviceAccount}/${secret}`;
}
