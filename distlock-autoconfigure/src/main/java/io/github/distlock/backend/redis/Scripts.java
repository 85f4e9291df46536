package io.github.distlock.backend.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The Lua scripts, one a verb. Each but the renewal begins with what the verbs share.
 */
@SuppressWarnings("rawtypes")
final class Scripts {

	static final RedisScript<List> ATTEMPT = script(List.class, "common.lua", "attempt.lua");

	static final RedisScript<List> RELEASE = script(List.class, "common.lua", "release.lua");

	static final RedisScript<Long> CANCEL = script(Long.class, "common.lua", "cancel.lua");

	static final RedisScript<List> RENEW = script(List.class, "renew.lua");

	static final RedisScript<List> PROBE = script(List.class, "probe.lua");

	private Scripts() {
	}

	private static <T> RedisScript<T> script(Class<T> type, String... files) {
		StringBuilder text = new StringBuilder();
		for (String file : files) {
			try {
				text.append(new ClassPathResource(file, Scripts.class).getContentAsString(StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new UncheckedIOException("The script " + file + " is missing from the distlock jar", ex);
			}
		}
		return new DefaultRedisScript<>(text.toString(), type);
	}

}
