import { describe, expect, test } from 'vitest';
import { settingSpan } from './setting-span.ts';

const files = [{ path: 'mesh.yaml', text: 'trustDomain: a\n  pathNormalization: {}  \r\n' }];

describe('settingSpan', () => {
  test('is the line of the file, without the blanks around it', () => {
    const span = settingSpan({ source: 'file', detail: 'mesh.yaml:2' }, files);
    expect(files[0]?.text.slice(span?.start, span?.end)).toBe('pathNormalization: {}');
  });

  test.each(['PILOT_HTTP10', '--trust-domain', 'other.yaml:1'])('is not there for %s', (detail) => {
    expect(settingSpan({ source: 'variable', detail }, files)).toBeUndefined();
  });
});
