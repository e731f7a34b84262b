"""Declared indexes: attributes of a concept type that comparisons find by value.

A declaration belongs to one group and type, or to every group when a kind of memory asks for it;
all that declare one attribute share its index.
"""

from __future__ import annotations

from recollect.errors import (
    INDEX_PENDING,
    STORE_BUSY,
    STORE_CORRUPT,
    RecollectError,
    is_slip,
    not_among,
    refused,
)
from recollect.kernel.store.cells import EVERY_GROUP, SqlValue, text, whole
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.statements.declared import (
    ADD_INDEX,
    BEGUN,
    BUILT,
    CONCEPTS,
    INDEXED,
    INDEXES,
    REMOVE_INDEX,
    create_attribute_index,
    drop_attribute_index,
    index_name,
)
from recollect.kernel.write.validation import identifier
from recollect.model import AttributeIndex, Progress

_STEPS_A_CONCEPT = 16
"""Steps of the engine for a concept that has the attribute; others take fewer."""

_FIELDS = ("id", "type", "name")


def index_kinds(store: Store) -> None:
    """Let what the kinds of a store are found by have its indexes, for all groups of the file.

    It is done at the first opening that may write; while others write, the next one does it. Cost:
    one look; where some are missing, every concept of the store.
    """
    wanted = set(store.kinds.indexes())
    if not wanted or store.is_read_only:
        return
    with store.reading() as session:
        if wanted <= set(attribute_indexes(session, EVERY_GROUP)):
            return
    try:
        with store.writing() as session:
            for one in sorted(wanted, key=str):
                session.execute_many(ADD_INDEX, [_row(EVERY_GROUP, one)])
            settle_indexes(session)
    except RecollectError as error:
        if error.code not in (
            STORE_BUSY,
            STORE_CORRUPT,
            INDEX_PENDING,
        ):  # the doctor tells what is corrupt
            raise


def attribute_indexes(session: Session, group_id: int) -> tuple[AttributeIndex, ...]:
    """Return the declared indexes of a group, by type and attribute."""
    rows = session.rows(INDEXES, {"group": group_id})
    return tuple(AttributeIndex(text(type_), text(attribute)) for type_, attribute in rows)


def add_attribute_index(
    session: Session, group_id: int, type_: str, attribute: str, progress: Progress
) -> None:
    """Declare an index, and build it when it is the first of its attribute; twice is once.

    Cost: the first declaration of an attribute reads every concept of the store.
    """
    wanted = AttributeIndex(identifier(type_, "type"), indexable(attribute))
    session.execute_many(ADD_INDEX, [_row(group_id, wanted)])
    concepts = whole(session.rows(CONCEPTS)[0][0])

    def tell(steps: int) -> None:
        progress("concepts", min(steps // _STEPS_A_CONCEPT, concepts), concepts)

    with session.watched(tell):
        settle_indexes(session)
    progress("concepts", concepts, concepts)


def indexable(attribute: object) -> str:
    """Return the name of an attribute that may have an index, or INVALID_ARGUMENT."""
    name = identifier(attribute, "attribute")
    if name in _FIELDS:
        raise refused(
            f'"{name}" is a field of every concept and needs no index', "name an attribute"
        )
    return name


def built_indexes(session: Session) -> tuple[dict[str, str], set[str]]:
    """Return the attributes that are declared to have an index, by its name, and what is built."""
    attributes = [text(one) for (one,) in session.rows(INDEXED)]
    declared = {index_name(one, session.dialect): one for one in attributes}
    return declared, {text(one) for (one,) in session.rows(BUILT)}


def settle_indexes(session: Session, *, leaves: bool = False) -> frozenset[str]:
    """Let there be an index of every attribute that any group declares, and no other.

    Where others can write meanwhile it is made after the commit; INDEX_PENDING then leaves it to
    the doctor. Return the names of those that this role `leaves` to the owner of the tables.
    """
    declared, built = built_indexes(session)
    begun = {text(one) for (one,) in session.rows(BEGUN)}
    left: set[str] = set()
    for name in sorted(begun - declared.keys()):  # first: one may differ only in case
        if not session.reshape(drop_attribute_index(name), leaves=leaves):
            left.add(name)
    for name in sorted(declared.keys() - built):
        session.reshape(create_attribute_index(declared[name], session.dialect), leaves=leaves)
    return frozenset(left)


def drop_index(session: Session, group_id: int, type_: str, attribute: str) -> None:
    """Take a declaration back, and its bytes with it once the store's erasure is finished."""
    session.begin_erasure()
    take_back_index(session, group_id, type_, attribute)


def take_back_index(
    session: Session, group_id: int, type_: str, attribute: str, *, leaves: bool = False
) -> bool:
    """Take a declaration back; INVALID_ARGUMENT when the group has not made it.

    Return whether its index stays for now: one of the tables of somebody else, who may drop it.
    """
    unwanted = AttributeIndex(identifier(type_, "type"), identifier(attribute, "attribute"))
    declared = attribute_indexes(session, group_id)
    if unwanted not in declared:
        near = [str(one) for one in declared if _is_near(unwanted, one)]
        message = f"{unwanted} is not an index of the group"
        raise not_among(message, str(unwanted), near, "use {}", "list them: recollect index list")
    session.execute_many(REMOVE_INDEX, [_row(group_id, unwanted)])
    return index_name(attribute, session.dialect) in settle_indexes(session, leaves=leaves)


def _row(group_id: int, index: AttributeIndex) -> dict[str, SqlValue]:
    return {"group": group_id, "type": index.type, "attribute": index.attribute}


def _is_near(unwanted: AttributeIndex, declared: AttributeIndex) -> bool:
    """Whether both names may be slips of those declared: alike in one, they may be unrelated."""
    return is_slip(unwanted.type, (declared.type,)) and is_slip(
        unwanted.attribute, (declared.attribute,)
    )
