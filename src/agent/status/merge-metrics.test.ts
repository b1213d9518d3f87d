import { describe, expect, test } from 'vitest';
import { isPlainMetrics, joinMetrics, plainFromOpenMetrics, withoutCollisions } from './merge-metrics.ts';

describe('joinMetrics', () => {
  test('puts one line end between parts, and none into nothing', () => {
    const parts = ['a 1', 'b 2\n', '', 'c 3'].map((text) => Buffer.from(text));
    expect(joinMetrics(parts).toString()).toBe('a 1\nb 2\nc 3\n');
  });
});

describe('withoutCollisions', () => {
  const own =
    '# HELP total_pushes All.\n# TYPE total_pushes counter\ntotal_pushes 7\n\n# HELP up Up.\n# TYPE up gauge\nup 1\n';

  test.each([
    ['a sample', 'total_pushes 3\n', ['total_pushes']],
    ['a sample with labels', 'x 1\ntotal_pushes{a="b"} 3\n', ['total_pushes']],
    ['a type', '# TYPE up histogram\nup_bucket{le="1"} 0\n', ['up']],
    ['both', '# TYPE up gauge\ntotal_pushes 3\n', ['total_pushes', 'up']],
    ['longer names', 'total_pushes_of_mine 3\nmy_up 1\n# HELP x total_pushes\nx{a="\\n up 1"} 1\n', []],
    ['nothing', '', []],
  ])('leaves out families of which the application has %s', (_name, text, removed) => {
    const kept = withoutCollisions(own, [Buffer.from('y 1\n'), Buffer.from(text)]);
    expect(kept.removed).toEqual(removed);
    for (const name of ['total_pushes', 'up']) {
      const count = [...kept.text.matchAll(new RegExp(`^(# \\w+ )?${name}\\b`, 'gm'))].length;
      expect(count).toBe((removed as readonly string[]).includes(name) ? 0 : 3);
    }
  });
});

describe('isPlainMetrics', () => {
  test.each([
    ['', true],
    ['\n# any comment {\n  # HELP\na 1\n', true],
    ['a_b:c{x="}\\" \\\\{",y="",} NaN 1700000000000\r\n', true],
    ['a {x="1"}\t+Inf', true],
    ['a 1e-7\nOK', false],
    ['<html>', false],
    ['{"a": 1}', false],
    ['a{x="1} 2', false],
    ['a 1 # {trace_id="x"} 1', false],
    ['a 1 1700000000.5', false],
    ['\x0a\x0b1 1', false],
  ])('takes %j for what it is: %s', (text, isPlain) => {
    expect(isPlainMetrics(text)).toBe(isPlain);
  });

  // In seconds; with a time that grows as the square of the length it would be hours.
  test('judges two megabytes in moments, whatever they hold', { timeout: 60_000 }, () => {
    const parts = ['}', '{"', 'a{', 'a{x="\\"} ', ' ', '#', 'a 1\n'];
    expect(parts.filter((part) => isPlainMetrics(part.repeat(2e6 / part.length)))).toEqual(['a 1\n']);
    const quoted = ['}', '"', '\\', ' '];
    expect(quoted.filter((part) => isPlainMetrics(`a{x="${part.repeat(60_000)}\n`.repeat(32)))).toEqual([]);
  });
});

describe('plainFromOpenMetrics', () => {
  test('gives what a parser of the older text takes', () => {
    const text = [
      '# HELP requests How many.',
      '# TYPE requests counter',
      '# UNIT requests requests',
      'requests_total{path="/a # b",code="2\\"00"} 3 1700000000.5 # {trace_id="abc"} 1 1700000000.1',
      '# TYPE build info',
      'build_info{version="1"} 1',
      '# TYPE delay histogram',
      'delay_bucket{le="+Inf"} 4 # {trace_id="x"} 0.5',
      '# TYPE weird unknown',
      'weird -Inf',
      '# EOF',
      '',
    ].join('\n');
    expect(plainFromOpenMetrics(text).split('\n')).toEqual([
      '# TYPE requests_total counter',
      'requests_total{path="/a # b",code="2\\"00"} 3 1700000000500',
      '# TYPE build_info gauge',
      'build_info{version="1"} 1',
      '# TYPE delay histogram',
      'delay_bucket{le="+Inf"} 4',
      '# TYPE weird untyped',
      'weird -Inf',
      '',
    ]);
  });

  test('gives nothing for nothing but the end', () => {
    expect(plainFromOpenMetrics('# EOF\n')).toBe('');
  });
});
