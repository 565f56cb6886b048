/** What the extension uses of Chromium. No browser loads this file. */

interface Heard<Listener> {
  addListener(listener: Listener, filter?: object, extra?: string[]): void;
  removeListener(listener: Listener): void;
}

interface Navigation {
  tabId: number;
  frameId: number;
  timeStamp: number;
  url: string;
  documentId: string;
}

interface Sender {
  documentId: string;
  tab: { id: number };
}

interface Site {
  origins: string[];
}

interface Arrival {
  tabId: number;
  frameId: number;
  timeStamp: number;
  type: string;
  url: string;
  statusCode: number;
  responseHeaders?: { name: string; value?: string }[];
}

declare const chrome: {
  action: {
    setBadgeText(badge: { tabId?: number; text: string }): Promise<void>;
    setBadgeBackgroundColor(badge: { tabId: number; color: string }): Promise<void>;
    setBadgeTextColor(badge: { tabId: number; color: string }): Promise<void>;
  };
  dom: { openOrClosedShadowRoot(host: HTMLElement): ShadowRoot | null };
  permissions: Record<"contains" | "request" | "remove", (site: Site) => Promise<boolean>> & {
    onAdded: Heard<() => void>;
  };
  runtime: {
    getURL(path: string): string;
    sendMessage(said: string[] | boolean): Promise<any>;
    onInstalled: Heard<() => void>;
    onMessage: Heard<(said: unknown, from: Sender, reply: (answer: string) => void) => boolean>;
  };
  scripting: { registerContentScripts(scripts: object[]): Promise<void> };
  storage: {
    session: {
      get(key: string): Promise<Record<string, any>>;
      set(entries: object): Promise<void>;
      onChanged: { addListener(listener: () => void): void };
    };
  };
  tabs: {
    query(where: object): Promise<{ id: number; url?: string }[]>;
    reload(id: number): Promise<void>;
  };
  webNavigation: {
    onBeforeNavigate: Heard<(details: Navigation) => void>;
    onCommitted: Heard<(details: Navigation) => void>;
    onErrorOccurred: Heard<(details: Navigation) => void>;
    getFrame(where: { tabId: number; frameId: number }): Promise<Navigation | null>;
  };
  webRequest: {
    onErrorOccurred: Heard<(details: Navigation) => void>;
    onResponseStarted: Heard<(details: Arrival) => void>;
    onBeforeRedirect: Heard<(details: Arrival) => void>;
  };
};
