"""Every sentence of specification 002 that states behaviour, and the tests named after it.

Sections and sentences stand in the specification's order. A test is written `file.name`: the file
is named in `FILES`, the function is `test_` and the name. What the specification says of other
products, and what it leaves to stores, states nothing here.
"""

from __future__ import annotations

from typing import Final

FILES: Final = {
    "attention": "faces/claims/test_attention.py",
    "branches": "faces/claims/test_branches.py",
    "client": "client/test_knowledge.py",
    "conformance": "faces/claims/test_conformance.py",
    "events": "servers/http/test_events.py",
    "http": "servers/http/test_claims.py",
    "lifecycle": "faces/claims/test_lifecycle.py",
    "lionagi": "integrations/lionagi/test_sessions.py",
    "model": "faces/claims/test_model.py",
    "sentences": "faces/claims/test_sentences.py",
    "turns": "integrations/lionagi/test_turns.py",
    "worked": "faces/claims/test_worked_example.py",
}

Sentences = tuple[tuple[str, tuple[str, ...]], ...]

LEDGER: Final[dict[str, Sentences]] = {
    "Design constraints": (
        (
            "The protocol MUST NOT leak storage assumptions.",
            ("sentences.the_protocol_is_five_async_methods_of_specified_arguments",),
        ),
        (
            "No claim without at least one structured evidence ref.",
            (
                "model.you_cannot_create_a_claim_without_evidence",
                "conformance.a_claim_that_lost_its_evidence_since_is_not_written",
            ),
        ),
        (
            "A developer using Branch in a script should not need to configure anything.",
            ("branches.a_branch_without_a_store_costs_nothing",),
        ),
        (
            "Knowledge methods exist but are no-ops until a store is provided.",
            (
                "branches.a_branch_without_a_store_costs_nothing",
                "lionagi.without_a_store_nothing_is_kept_and_nothing_found",
            ),
        ),
        (
            "Becomes the 5th manager, not an external add-on.",
            ("lionagi.a_branch_has_the_store_of_its_session",),
        ),
        (
            "Hard to misuse, easy to use well.",
            (
                "model.a_field_that_cannot_be_kept_is_refused",
                "model.evidence_that_cannot_be_kept_is_refused",
            ),
        ),
    ),
    "The Knowledge Protocol": (
        (
            "Five methods. That's the entire contract.",
            (
                "sentences.the_protocol_is_five_async_methods_of_specified_arguments",
                "conformance.a_store_has_the_five_methods_of_the_protocol",
            ),
        ),
        (
            "NullKnowledgeStore: no-op (library default, zero overhead)",
            ("branches.a_null_store_is_a_knowledge_store_that_keeps_nothing",),
        ),
        (
            "MemoryKnowledgeStore: in-process dict (testing, short-lived scripts)",
            ("sentences.a_memory_store_is_in_process_alone",),
        ),
        (
            "SQLiteKnowledgeStore: local file (Studio mode)",
            (
                "sentences.a_store_of_a_local_file_is_found_again",
                "worked.agents_accumulate_and_recall_and_humans_verify",
            ),
        ),
        (
            "RemoteKnowledgeStore: governed remote store",
            (
                "client.it_is_a_knowledge_store",
                "client.a_token_brings_its_group_and_another_is_refused",
            ),
        ),
        (
            "Persist a claim. Returns claim_id.",
            ("conformance.write_claim_returns_the_id_and_get_returns_what_was_written",),
        ),
        (
            "Semantic retrieval of relevant claims.",
            (
                "conformance.query_finds_by_words_and_not_by_substrings",
                "conformance.query_orders_the_best_first_and_ties_by_id",
                "conformance.query_with_status_none_filters_nothing",
                "conformance.query_takes_ten_when_nothing_is_said",
                "conformance.scope_filters_are_exact",
            ),
        ),
        (
            "Move a claim through its lifecycle.",
            ("lifecycle.a_status_follows_another_exactly_where_the_table_says_so",),
        ),
        (
            "Mark old claim superseded by new one.",
            ("lifecycle.supersede_is_readable_in_both_directions",),
        ),
        (
            "Return lifecycle events for a claim.",
            ("conformance.history_has_every_event_with_its_evidence",),
        ),
        (
            "Implementations can range from a dict to a distributed graph store.",
            ("branches.a_store_may_be_a_dict",),
        ),
    ),
    "The Claim dataclass": (
        (
            "A unit of learned knowledge with evidence and lifecycle.",
            ("model.a_claim_has_the_specified_fields_in_their_order",),
        ),
        (
            "evidence: MUST be non-empty (enforced at construction)",
            ("model.you_cannot_create_a_claim_without_evidence",),
        ),
        (
            "Confidence in the CLAIM being true (the fact itself).",
            ("model.a_field_that_cannot_be_kept_is_refused",),
        ),
        (
            "Auto-populated by Branch.learn()",
            ("branches.learn_auto_populates_the_context",),
        ),
        (
            "scope_type: project | repo | agent | run",
            ("model.a_scope_is_of_a_known_type", "sentences.a_scope_is_one_of_four_types"),
        ),
        (
            "actor_type: agent | user | system | tool",
            ("sentences.an_actor_is_one_of_four_types",),
        ),
        (
            "You physically cannot create a claim without evidence.",
            ("model.you_cannot_create_a_claim_without_evidence",),
        ),
        (
            "Weak evidence is allowed (typed honestly), but empty evidence is not.",
            ("sentences.weak_evidence_is_allowed_but_empty_evidence_is_not",),
        ),
    ),
    "Claim lifecycle": (
        *(
            (line, ("lifecycle.a_status_follows_another_exactly_where_the_table_says_so",))
            for line in (
                "observed → verified (human/trusted process confirms)",
                "observed → disputed (conflicting evidence arrives)",
                "observed → superseded (newer claim replaces)",
                "inferred → verified (upgraded by external confirmation)",
                "inferred → disputed (disproven)",
                "hypothesis → observed (evidence found)",
                "hypothesis → disputed (falsified)",
                "verified → disputed (new contradicting evidence)",
                "disputed → verified (resolution in favor)",
                "any → superseded (factual replacement)",
            )
        ),
        (
            "disputed → superseded (both replaced)",
            (
                "lifecycle.a_status_follows_another_exactly_where_the_table_says_so",
                "lifecycle.both_of_two_claims_may_be_replaced_by_one",
            ),
        ),
        (
            "Transition validation is in the store implementation, not the protocol.",
            ("sentences.transition_validation_is_in_the_store_and_not_in_the_protocol",),
        ),
        (
            "The protocol just takes new_status: str.",
            ("sentences.the_protocol_is_five_async_methods_of_specified_arguments",),
        ),
    ),
    "Branch integration: the 5th manager": (
        (
            "Record a learned fact with evidence. Returns claim_id.",
            ("branches.learn_auto_populates_the_context",),
        ),
        (
            "Non-empty evidence (raises ValueError)",
            (
                "branches.even_without_a_store_evidence_is_required",
                "lionagi.a_claim_without_evidence_is_refused",
            ),
        ),
        (
            "Auto-populates session/branch/actor context",
            (
                "branches.learn_auto_populates_the_context",
                "lionagi.what_is_learned_says_where_and_by_whom",
            ),
        ),
        (
            "Delegates to the configured KnowledgeStore",
            ("branches.learn_auto_populates_the_context",),
        ),
        (
            "Returns None if store is NullKnowledgeStore (library mode).",
            ("branches.a_branch_without_a_store_costs_nothing",),
        ),
        (
            "Default: returns only active claims (observed, inferred, verified).",
            ("branches.recall_leaves_out_what_is_contested_unless_asked",),
        ),
        (
            'Pass status=["disputed"] to include contested knowledge.',
            ("branches.recall_leaves_out_what_is_contested_unless_asked",),
        ),
        (
            "recall(question, *, limit: int = 5)",
            ("branches.recall_takes_five_and_refuses_less_than_one",),
        ),
        (
            "Upgrade a claim to verified status.",
            (
                "branches.a_branch_maps_to_the_store_with_the_specified_arguments_only",
                "lionagi.verify_and_dispute_move_a_claim",
            ),
        ),
        (
            "Mark a claim as disputed with reason.",
            (
                "branches.a_branch_maps_to_the_store_with_the_specified_arguments_only",
                "lionagi.verify_and_dispute_move_a_claim",
            ),
        ),
        (
            "Four user-facing methods on Branch: learn, recall, verify, dispute.",
            ("sentences.four_user_facing_methods_on_branch",),
        ),
        (
            "Branch method → Store method mapping",
            ("branches.a_branch_maps_to_the_store_with_the_specified_arguments_only",),
        ),
        (
            "supersede and history are intentionally store-only.",
            ("sentences.supersede_and_history_are_store_only",),
        ),
        (
            "The next observation creates a new claim, and an explicit human/admin decision links "
            "them via supersession.",
            ("sentences.the_next_observation_creates_a_new_claim",),
        ),
        (
            "Session-level configuration is the primary entry point",
            ("lionagi.the_default_branch_has_it_too",),
        ),
        (
            'SQLiteKnowledgeStore("~/.lionagi/knowledge.db")',
            ("sentences.a_store_of_a_local_file_is_found_again",),
        ),
        (
            "When Session.new_branch() creates a Branch, it passes the session's knowledge_store "
            "to the new Branch.",
            (
                "branches.a_branch_has_the_store_of_its_session",
                "lionagi.a_branch_has_the_store_of_its_session",
            ),
        ),
        (
            "Per-Branch override is allowed for isolation testing, to opt out without affecting "
            "siblings.",
            (
                "branches.a_branch_has_the_store_of_its_session",
                "lionagi.a_branch_can_opt_out_alone",
            ),
        ),
    ),
    "The NullKnowledgeStore (zero-config default)": (
        (
            "No-op store. Library mode. Zero overhead.",
            ("branches.a_null_store_is_a_knowledge_store_that_keeps_nothing",),
        ),
        (
            "No config, no database, no setup.",
            ("sentences.library_mode_opens_nothing_and_needs_no_database",),
        ),
        (
            "branch.learn() silently returns None. branch.recall() returns an empty list.",
            ("branches.a_branch_without_a_store_costs_nothing",),
        ),
    ),
    "Audit trail integration": (
        (
            "Every knowledge action (learn, verify, dispute, supersede) MUST emit a Log entry to "
            "the Branch's DataLogger.",
            (
                "branches.every_action_is_logged_with_exactly_the_twelve_keys",
                "lionagi.every_action_is_in_the_log_of_the_branch",
                "client.a_supersession_is_told_to_the_logger",
            ),
        ),
        (
            "Log entry shape",
            ("branches.every_action_is_logged_with_exactly_the_twelve_keys",),
        ),
        (
            "The Branch.learn() implementation emits this log entry before delegating to the "
            "store.",
            ("branches.learn_emits_the_entry_before_delegating",),
        ),
        (
            "Failures to write the log do NOT block the knowledge write; they emit a warning to "
            "the DataLogger's auxiliary error channel.",
            ("branches.a_failing_sink_never_blocks_the_write",),
        ),
        (
            "A complete activity trail: who created what claim with what evidence, when it was "
            "verified or disputed, by whom.",
            (
                "branches.who_acts_stands_in_the_history",
                "branches.the_log_of_the_memory_holds_the_same_in_the_transaction_of_the_write",
                "conformance.history_has_every_event_with_its_evidence",
            ),
        ),
    ),
    "The MemoryKnowledgeStore (testing/scripts)": (
        (
            "In-process dict store. For tests and short-lived scripts.",
            ("sentences.a_memory_store_is_in_process_alone",),
        ),
    ),
    "Evidence construction helpers (the opinionated part)": (
        *(
            (line, ("model.the_helper_name_matches_the_kind_value",))
            for line in (
                "Evidence from a chat message. The `quote` becomes EvidenceRef.detail.",
                "Evidence from a tool execution result. The `summary` becomes EvidenceRef.detail.",
                "Evidence from an explicit user statement.",
                "Evidence from a produced artifact (file/report/output).",
                "Evidence from a file on disk or in a repo.",
                "Evidence from a web resource.",
                "Evidence from model reasoning.",
                "Evidence from a human's external assertion.",
                "The helper name matches the kind value 1:1.",
            )
        ),
        (
            "The naming makes the strength hierarchy visible.",
            ("sentences.the_naming_makes_the_strength_hierarchy_visible",),
        ),
        (
            "Eight helpers, eight kinds.",
            ("model.there_are_eight_kinds",),
        ),
    ),
    "Reactive knowledge extraction (hook pattern)": (
        (
            "Hook that fires on every ActionResponse to detect learnable facts.",
            ("turns.a_hook_learns_from_the_results_of_tools", "turns.a_hook_need_not_be_async"),
        ),
        (
            "This is optional and application-specific.",
            ("sentences.nothing_is_learnt_but_by_learn",),
        ),
    ),
    "Configuration tiers": (
        (
            "Tier 1: Library mode (default): NullKnowledgeStore() implicitly",
            ("branches.a_branch_without_a_store_costs_nothing",),
        ),
        (
            "The developer's code is identical across tiers.",
            ("sentences.the_code_is_identical_across_tiers",),
        ),
    ),
    "Worked example: knowledge accumulation across sessions": (
        *(
            (
                line,
                (
                    "worked.agents_accumulate_and_recall_and_humans_verify",
                    "lionagi.knowledge_accumulates_across_sessions",
                ),
            )
            for line in (
                "Persists to SQLite. claim_id is returned.",
                "Before reviewing, agent recalls prior knowledge.",
                "Status now: verified.",
                "Both claims persist; future agents get both with appropriate status.",
            )
        ),
        (
            "Every claim has evidence. Every transition is auditable.",
            ("conformance.history_has_every_event_with_its_evidence",),
        ),
    ),
    "Claim severity derivation": (
        (
            "Returns (severity, tone) for a knowledge claim.",
            ("model.severity_is_derived_from_status_and_confidence",),
        ),
    ),
    "Scope type semantics": (
        (
            "Fact applies to the whole project; about a specific repo; the agent learned about "
            "itself; specific to one execution.",
            ("conformance.scope_filters_are_exact", "sentences.a_scope_is_one_of_four_types"),
        ),
        (
            "Scoping enables recall() to filter by relevance. A PR reviewer agent queries "
            "scope_type=repo knowledge, not all project-level facts.",
            ("branches.scope_type_repo_is_queried_apart_from_project_facts",),
        ),
    ),
    "Knowledge as lens (not nav section)": (
        (
            'Run detail: "What did this run learn?"',
            ("conformance.lists_are_by_everything_a_page_is_about", "http.every_page_has_its_lens"),
        ),
        (
            'Show detail: "What changed?" — claims created/superseded during this show',
            (
                "branches.a_show_has_what_was_written_and_what_was_superseded_in_it",
                "conformance.a_show_has_every_claim_of_one_instant_on_one_page",
            ),
        ),
        (
            'Agent detail: "What does this agent know?" — claims scoped to this agent',
            ("conformance.lists_are_by_everything_a_page_is_about", "http.every_page_has_its_lens"),
        ),
        (
            'Attention item: "Why?" — evidence trail explaining the attention-worthy state',
            ("http.attention_shows_why_and_is_put_aside",),
        ),
        (
            "Artifact detail: claims citing this artifact",
            ("conformance.lists_are_by_everything_a_page_is_about", "http.every_page_has_its_lens"),
        ),
    ),
    "Claim rendering in the UI": (
        ("Claims render like status.", ("attention.claims_render_like_status",)),
    ),
    "Attention Queue integration": (
        (
            "Claim disputed (was verified): warning, Review conflicting evidence",
            (
                "attention.a_verified_claim_that_is_disputed_asks_to_review_conflicting_evidence",
                "attention.a_dispute_of_what_was_never_verified_asks_for_nothing",
            ),
        ),
        (
            "Low-confidence claim aged 7d+ without verification: info, Verify or discard",
            ("attention.a_low_confidence_claim_asks_to_be_verified_after_seven_days",),
        ),
        (
            "Claim superseded by lower-confidence replacement: warning, Review supersession",
            ("attention.a_replacement_of_lower_confidence_asks_to_review_the_supersession",),
        ),
        (
            "Knowledge write rejected (empty evidence): info",
            (
                "attention.a_write_without_evidence_is_recorded_before_it_is_refused",
                "http.a_claim_without_evidence_is_refused_and_recorded",
            ),
        ),
    ),
    "Search integration": (
        (
            "Each result carries claim_status, confidence, evidence count, and scope.",
            ("http.search_finds_claims_with_their_standing",),
        ),
    ),
    "Consequences": (
        (
            "Zero-cost in library mode (NullStore is truly zero overhead).",
            ("sentences.library_mode_opens_nothing_and_needs_no_database",),
        ),
        (
            "Evidence-first is enforced at the API level, not by convention.",
            ("sentences.weak_evidence_is_allowed_but_empty_evidence_is_not",),
        ),
        (
            "Protocol is storage-agnostic — can migrate without changing user code.",
            ("sentences.the_code_is_identical_across_tiers",),
        ),
    ),
    "Non-Goals": (
        (
            "Too noisy; v1 is opt-in via branch.learn() calls.",
            ("sentences.nothing_is_learnt_but_by_learn",),
        ),
        (
            "Scope isolation first.",
            ("branches.a_branch_with_a_project_recalls_that_project_only",),
        ),
        (
            "Knowledge is append-only with lifecycle (dispute, supersede). No branch.forget() "
            "method.",
            (
                "sentences.four_user_facing_methods_on_branch",
                "http.nothing_on_these_surfaces_forgets",
            ),
        ),
    ),
    "References": (
        (
            "ADR-0034 — knowledge.* SSE events",
            ("events.a_stream_tells_the_specified_events_with_their_claims",),
        ),
    ),
}
"""The sentences of each section, with the tests of each."""
