package io.github.distlock.benchmarks.servers;

import java.nio.file.Path;

import io.github.distlock.benchmarks.contenders.RedisAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the user says about servers.
 *
 * @param redis a Redis to use; {@code null} to start one
 * @param program of the Redis servers that are started; {@code null} for the embedded one
 */
public record ServerOptions(@Nullable RedisAddress redis, @Nullable Path program) {

}
