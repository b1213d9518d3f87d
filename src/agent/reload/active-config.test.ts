import { describe, expect, test } from 'vitest';
import { sampleFiles } from '../testing/sample-proxy.ts';
import { ActiveConfig } from './active-config.ts';

const sample = { configPath: '/run/proxy', adminPort: 1, httpPort: 2 };

describe('ActiveConfig', () => {
  const files = sampleFiles({ ...sample, body: 'first' });
  const later = sampleFiles({ ...sample, body: 'later' });

  test('accepts the inputs of the first configuration once', () => {
    let accepted = 0;
    const active = new ActiveConfig({ files, accept: () => accepted++ });
    active.acceptFirst();
    active.acceptFirst();
    expect(accepted).toBe(1);
    expect(active.files).toBe(files);
  });

  test('never accepts the inputs of a first configuration that was replaced', () => {
    let accepted = 0;
    const active = new ActiveConfig({ files, accept: () => accepted++ });
    active.replace(later);
    active.acceptFirst();
    expect(accepted).toBe(0);
    expect(active.files).toBe(later);
  });
});
