import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diagnosticExample } from './diagnostic-example.ts';

describe('diagnosticExample', () => {
  test('shows a short input, its variables and workloads, and links the file that is too long', () => {
    const text = diagnosticExample('delegate-without-root');
    expect(text).toMatch(/^`policy\.yaml`:\n\n```yaml\n/);
    expect(text).toContain('With the variable `PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE=true` and `--workload a/web`.');
    expect(text).toContain('`topology.yaml` of this example is in [fixtures/err/delegate-without-root](../../');
  });

  test('shows the mesh configuration by the name that its diagnostics have', () => {
    const text = diagnosticExample('duplicate-provider');
    expect(text).toContain('mesh-config.yaml`:\n\n```yaml\nextensionProviders:');
    expect(text).toContain('\nmesh-config.yaml:4:11: error: ');
  });

  test('cuts a line that no page can show', () => {
    const lengths = diagnosticExample('document-too-complex').split('\n');
    expect(Math.max(...lengths.map((line) => line.length))).toBeLessThan(500);
  });
});

describe('the examples of a page', () => {
  test('of diagnostics differ where their outputs differ', () => {
    const outputs = new Map<string, string>();
    for (const section of sectionsOf('diagnostics.md', '\n## ')) {
      const [before = '', output = ''] = section.split('\n```text\n');
      const input = before.slice(before.indexOf('```yaml'));
      if (!before.includes('```yaml') || output === '') continue;
      expect(outputs.get(input) ?? output, section.slice(0, 40)).toBe(output);
      outputs.set(input, output);
    }
    expect(outputs.size).toBeGreaterThan(150);
  });

  test('of lint differ in more than the mark of the finding', () => {
    const sections = sectionsOf('lint-rules.md', '\n### ').filter((section) => section.includes('\nFound:\n'));
    expect(sections.length).toBeGreaterThan(60);
    for (const section of sections) {
      const [found = '', other = ''] = section.slice(section.indexOf('\nFound:\n') + 8).split('\nNot found:\n');
      expect(other.split('\n## ')[0]?.trim(), section.slice(0, 40)).not.toBe(found.replaceAll(' # finding', '').trim());
    }
  });
});

function sectionsOf(page: string, heading: string): readonly string[] {
  return readFileSync(`docs/reference/${page}`, 'utf8').split(heading).slice(1);
}
