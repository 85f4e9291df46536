package io.github.distlock.sample.strategies;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an inventory node.
 *
 * @param lease the lease time of those hand-made locks that expire
 * @param giveUpAfter how long a caller tries to acquire a hand-made lock while no caller
 * on this node acquires it; then the lock counts as blocked
 * @param faults whether faults can be requested over HTTP
 * @param records the file in which this node records what it reads from the stock and
 * writes to it; without it nothing is recorded
 */
@ConfigurationProperties("sample.node")
record NodeProperties(@DefaultValue("10s") Duration lease, @DefaultValue("60s") Duration giveUpAfter,
		@DefaultValue("false") boolean faults, @Nullable Path records) {

}
