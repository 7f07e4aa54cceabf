// Starts `tracepact lsp` and hands contracts to it; everything an author sees comes from the server.
const { window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = workspace.getConfiguration("tracepact").get("command");
  client = new LanguageClient(
    "tracepact",
    "tracepact",
    { command, args, transport: TransportKind.stdio },
    { documentSelector: [{ language: "tracepact" }, { language: "tracepact-calibration" }] },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `tracepact's language server did not start (${error.message}): pip install 'tracepact[editor]', ` +
        "and name its command in the setting tracepact.command",
    );
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
