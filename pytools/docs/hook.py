"""The pages of the site that are not written for it: the repository's texts, what they link to, and the commands."""

from collections.abc import Iterator

import command_pages
import repository_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the parts of the navigation that follow from the repository and the program."""
    sections = {"Commands": command_pages.names(), "Examples": repository_pages.examples()}
    sections["Tools"] = repository_pages.tools()
    config.nav = [_filled(entry, sections) for entry in config.nav or []]
    return config


def _filled(entry: dict[str, object], sections: dict[str, list[str]]) -> dict[str, object]:
    ((title, pages),) = entry.items()
    if isinstance(pages, list):
        pages = sections.get(title) or [_filled(inner, sections) for inner in pages]
    return {title: pages}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for file in _generated(config):
        files.append(file)
    return files


def _generated(config: MkDocsConfig) -> Iterator[File]:
    for path, text in {**repository_pages.texts(), **command_pages.pages()}.items():
        yield File.generated(config, path, content=text)
    for path, text in repository_pages.linked_pages().items():
        yield File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
    for path, source in repository_pages.files_as_they_are().items():
        yield File.generated(config, path, abs_src_path=str(source))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links and lists of the repository's texts as this site needs them."""
    return repository_pages.adapted(markdown, page.file.src_uri)
