"""The eighteen examples of the specification, as they are printed there."""

from __future__ import annotations

DOCUMENTS = {
    "4.1 a space": "---\n- CONCEPTUAL SPACE\n  Label: Vehicles\n",
    "4.2 a temporary id": "- ID: new-1 [created]\n  Label: New Node\n",
    "4.2 a permanent id": "- ID: 12345 [created]\n  Label: New Node\n",
    "4.5 a template": (
        "- TEMPLATE ID: template-1\n  Label: Example Template\n"
        "  - ID: template-1-field-1\n    Label: Age\n    Content: number\n"
    ),
    "4.5 an article": (
        "- ARTICLE ID: article-1\n  Use template: template-1\n"
        "  - ID: template-1-field-1\n    Value: 100 years\n"
    ),
    "4.5 a function": (
        "- FUNCTION ID: callMe\n  Label: Example Function\n"
        "  - ID: callMe-argument-1\n    Label: Email-address\n    Content: string\n"
    ),
    "4.5 a workflow": (
        "- WORKFLOW ID: 52\n  Label: My Workflow\n  - ID: 9876\n    Label: Step 1\n"
        "    Use function: callMe\n    Content: `\n"
        "      - Write a short poem about love in outer space\n"
        "      - Use the function callMe and email the poem\n    `\n"
    ),
    "4.7 references": (
        "- CONCEPTUAL SPACE\n  ID: cs-1\n  Label: Vehicles\n  - ID: mc-1\n    Label: Car\n\n"
        "- ATTRIBUTE SPACE\n  ID: as-1\n  Label: Colors\n  - ID: sc-1\n    Label: Blue\n"
        "    - ID: mc-1\n      Label: Car #Car is having a blue color\n"
    ),
}

FIELDS = {
    "4.4 a content of one line": "Content: This node's content.",
    "4.4 a content of several lines": "Content: `\n  This is detailed content.\n`",
}

REQUESTS = {
    "5.1 a command": (
        'Context: command\nPrompt: "Retrieve the animal\'s diet."\nData:\n---\n'
        "- BRANCH ID: 1234\n  Label: Animals\n  - ID: 1\n    Label: Lion\n"
        "AttentionBranch: 1234\nAttentionNode: 1\n"
    ),
    "5.2 a step": (
        'Context: workflow\nMessages:\n  - "Starting step 2 of the workflow."\n'
        'Instructions: "Please complete the data entry for the next node."\n'
    ),
    "5.3 a question": (
        'Context: conversation\nPrompt: "What is the lion\'s behavior in the wild?"\n'
    ),
}

RESPONSES = {
    "5.1 the answer of a command": (
        "Context: command\nResponse: data\nData:\n---\n- BRANCH ID: 1234\n  - ID: 1\n"
        "    - ID: new-1 [created]\n       Label: Eating\n"
        "       Content: Lions primarily eat large mammals.\n"
    ),
    "5.2 the answer of a step": (
        "Context: workflow\nWorkflow step: 2\nResponse: data\n"
        'Message: "Data entry for the next node has been completed."\nData:\n---\n'
        "- ID: new-2 [created]\n  Label: Next Node\n"
    ),
    "5.2 the end": (
        "Context: workflow\nWorkflow step: 5\nResponse: Finished workflow\n"
        'Message: "The workflow is now complete."\n'
    ),
    "5.3 the answer of a question": (
        "Context: conversation\nResponse: data\n"
        'Message: "Lions are social animals that live in groups called prides. They hunt together '
        'and communicate through vocalizations."\nData:\n---\n- ID: new-3 [created]\n'
        "  Label: Behavior\n  Content: Lions exhibit social behavior, living in groups called prides.\n"
    ),
}
