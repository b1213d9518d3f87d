import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { aggregatedService } from '../aggregated-service.ts';
import type { DiscoveryObserver } from '../observer.ts';
import { StreamRefusal } from '../scope.ts';
import { type DiscoveryServer, startDiscoveryServer } from '../server.ts';
import { ServedConfiguration } from './served-configuration.ts';

/** The aggregated service on a socket in a folder of its own; both are new for each test. */
export class ServedSocket {
  folder = '';
  served = new ServedConfiguration();
  #server: DiscoveryServer | undefined;

  constructor() {
    beforeEach(async () => {
      this.folder = await mkdtemp(join(tmpdir(), 'ads-'));
      this.served = new ServedConfiguration();
    });
    afterEach(async () => {
      await this.#server?.close();
      await rm(this.folder, { recursive: true, force: true });
    });
  }

  /** Path of the socket. */
  get path(): string {
    return join(this.folder, 'XDS');
  }

  /** Undefined before the first `start`. */
  get server(): DiscoveryServer | undefined {
    return this.#server;
  }

  async start(observer: DiscoveryObserver = {}, stepTimeoutMs?: number): Promise<void> {
    const service = aggregatedService((_call, { node }) => {
      if (node === undefined || node.id === '') throw new StreamRefusal(3, 'the first request names no node');
      return this.served.scope(stepTimeoutMs);
    });
    this.#server = await startDiscoveryServer(this.path, [service], observer);
  }
}
