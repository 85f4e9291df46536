package io.github.distlock.registry;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;

/**
 * The lease of a writer who went on as a reader. The stay is still the writer's.
 */
final class ReaderHold extends Hold {

	private final WriteHold writer;

	ReaderHold(WriteHold writer, Holder admission, LeaseTerms terms, TimeSource clock) {
		super(writer.heldBy(), writer.name(), admission, terms, clock, writer.thread(), writer.isDyingWithThread());
		this.writer = writer;
	}

	@Override
	Hold stay() {
		return this.writer;
	}

}
