"""What the fake keeps about access and the bin is what it would find out from nothing."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.testing.fake_drive.access import Access, Reach
from gdrive_rag_mcp.testing.fake_drive.files import FakeFiles
from gdrive_rag_mcp.testing.fake_drive.world import World

USERS = ("owner@example.com", "reader@example.com", "other@example.com")


class _History:
    """Acts on items by number, so that every drawn number does something."""

    def __init__(self) -> None:
        self.files = FakeFiles(USERS[0], reader=USERS[1])
        self.drive = self.files.add_drive("Team", [USERS[1]])
        self.ids = [self.files.root, self.drive, self.files.add_folder("first")]

    def item(self, number: int) -> str:
        present = [item for item in self.ids if item in self.files.world.items]
        return present[number % len(present)]

    def movable(self, number: int) -> str | None:
        item = self.item(number)
        return None if item in (self.files.root, self.drive) else item

    def act(self, kind: str, first: int, second: int) -> None:
        one, other, user = self.item(first), self.item(second), USERS[second % 3]
        acts: dict[str, Callable[[], object]] = {
            "folder": lambda: self.ids.append(self.files.add_folder("f", one)),
            "file": lambda: self.ids.append(self.files.add_file("a", b"x", one)),
            "trash": lambda: self.files.trash(one),
            "untrash": lambda: self.files.untrash(one),
            "share": lambda: self.files.share(one, user),
            "hide": lambda: self.files.hide(one),
            "show": lambda: self.files.hide(one, hidden=False),
            "limit": lambda: self.files.limit_access(one, limited=bool(second % 2)),
            "link": lambda: self.files.link(one),
            "member": lambda: self.files.add_member(self.drive, user),
            "leave": lambda: self.files.remove_member(self.drive, user),
        }
        movable = self.movable(first)
        if movable is not None:
            acts["move"] = lambda: self.files.move(movable, other)
            acts["second"] = lambda: self.files.add_parent(movable, other)
            acts["remove"] = lambda: self.files.remove(movable)
        if user in self.files.world.items[one].readers:
            acts["unshare"] = lambda: self.files.unshare(one, user)
        if kind in acts:
            acts[kind]()


_KINDS = [
    "folder",
    "file",
    "trash",
    "untrash",
    "share",
    "unshare",
    "hide",
    "show",
    "limit",
    "link",
    "member",
    "leave",
    "move",
    "second",
    "remove",
]
_acts = st.tuples(st.sampled_from(_KINDS), st.integers(0, 30), st.integers(0, 30))


def _reached(access: Access, world: World) -> dict[tuple[str, str, bool], Reach]:
    return {
        (user, item, by_link): access.reach(user, item, by_link=by_link)
        for user in USERS
        for item in world.items
        for by_link in (False, True)
    }


def _trashed(world: World) -> set[str]:
    return {item.id for item in world.items.values() if world.is_trashed(item)}


@settings(max_examples=150)
@given(st.lists(_acts, max_size=40))
def test_whatever_people_do_the_maps_of_access_and_of_the_bin_stay_right(
    acts: list[tuple[str, int, int]],
) -> None:
    history = _History()
    world, access = history.files.world, history.files.access
    for kind, first, second in acts:
        _reached(access, world)  # the maps are kept, and must be kept up to date
        _trashed(world)
        history.act(kind, first, second)

    kept = _reached(access, world), _trashed(world)
    world.forget_trashed()
    assert kept == (_reached(Access(world), world), _trashed(world))
