import { DiagnosticBag } from '../src/diagnostics/bag.ts';
import { validate } from '../src/schema/validate.ts';
import { parse } from '../src/source/parse.ts';
import { line, medianMs, ms } from './measure.ts';
import { generatePolicies } from './mesh.ts';

/** Policy documents from text to typed objects, in MB/s. */
export function reading(): void {
  for (const count of [1000, 5000]) {
    const file = generatePolicies(count);
    const megabytes = Buffer.byteLength(file.text) / 1e6;
    const time = medianMs(7, () => {
      const bag = new DiagnosticBag();
      for (const document of parse([file], bag)) validate(document, bag);
      if (bag.hasErrors) throw new Error(JSON.stringify(bag.all[0]));
    });
    const valuesOnly = medianMs(7, () => {
      parse([file], new DiagnosticBag());
    });
    line(
      `read ${count} policy documents (${megabytes.toFixed(2)} MB)`,
      ms(time),
      `${((megabytes / time) * 1000).toFixed(1)} MB/s`,
      `parse alone ${ms(valuesOnly)}`,
    );
  }
}
