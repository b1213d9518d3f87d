import { readMeshConfig, type SettingsOptions } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { SettingsMemory } from '../live/emptied-files.ts';
import type { SourceFile } from '../source/document.ts';

/** Settings, and the text of the mesh configuration that says them; undefined where there is no file of it. */
export interface ReadMeshConfig {
  readonly settings: Settings;
  readonly text: SourceFile | undefined;
}

/**
 * The settings that a mesh is compiled with, as its configuration file says them now. A faulty file leaves the last valid
 * one in force. The trust domain is the one that `meshd` was started with: its CA signs for no other.
 */
export class MeshSettings {
  readonly #options: SettingsOptions;
  readonly #trustDomain: string;
  readonly #memory: SettingsMemory;
  #current: ReadMeshConfig | undefined;
  /** The last text that was read, and its problem. */
  #seen: { readonly text: string | undefined; readonly problem: string | undefined } | undefined;

  /** `good` is the file that was active before this object existed; `null`: there was none. */
  constructor(options: SettingsOptions, trustDomain: string, good?: SourceFile | null) {
    this.#options = options;
    this.#trustDomain = trustDomain;
    this.#memory = new SettingsMemory(options.meshConfig?.path);
    if (good === undefined) return;
    const read = this.#read(good ?? undefined);
    if ('settings' in read) this.#use(read);
  }

  /** The last valid settings; undefined: there were none yet. */
  get current(): ReadMeshConfig | undefined {
    return this.#current;
  }

  /** Reads the file. A problem is given only once for each text. */
  async look(): Promise<{ readonly isChanged: boolean; readonly problem?: string }> {
    const { meshConfig } = this.#options;
    let text: SourceFile | undefined;
    try {
      text = meshConfig && (await readMeshConfig(meshConfig));
    } catch (error) {
      return this.#tell(undefined, (error as Error).message);
    }
    if (this.#seen !== undefined && this.#seen.problem === undefined && this.#seen.text === text?.text)
      return { isChanged: false };
    const read = this.#read(text);
    if ('problem' in read) return this.#tell(text?.text, read.problem);
    const before = this.#current?.settings;
    this.#seen = { text: text?.text, problem: undefined };
    this.#use(read);
    return { isChanged: this.#current?.settings !== before };
  }

  #tell(text: string | undefined, problem: string): { readonly isChanged: false; readonly problem?: string } {
    const isNews = this.#seen?.text !== text || this.#seen?.problem !== problem;
    this.#seen = { text, problem };
    return isNews ? { isChanged: false, problem } : { isChanged: false };
  }

  /** Equal settings stay the same object. */
  #use({ settings, text }: ReadMeshConfig): void {
    const before = this.#current?.settings;
    const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(settings);
    this.#current = { settings: isSame ? before : settings, text };
    this.#memory.accept(text === undefined ? [] : [text]);
  }

  #read(text: SourceFile | undefined): ReadMeshConfig | { readonly problem: string } {
    const { environment, flags } = this.#options;
    const bag = new DiagnosticBag();
    const { settings, sources } = settingsOf({ environment, flags, meshConfig: text }, bag);
    this.#memory.check(sources, bag);
    if (bag.hasErrors) return { problem: format(bag.all, sources, 'text').trimEnd() };
    const { trustDomain, origins } = settings;
    const servers = (of: Settings): string => of.configSources.filter((source) => source.startsWith('xds:')).join(', ');
    const before = this.#current && servers(this.#current.settings);
    if (before !== undefined && before !== servers(settings))
      return {
        problem: `configSources names the servers "${servers(settings)}", and "${before}" when meshd was started; start meshd again to change them`,
      };
    if (trustDomain === this.#trustDomain) return { settings, text };
    const place = origins.trustDomain?.detail ?? 'the mesh configuration';
    return {
      problem:
        `${place}: the trust domain is "${trustDomain}", and was "${this.#trustDomain}" when meshd was started; ` +
        'start meshd again to change it',
    };
  }
}
