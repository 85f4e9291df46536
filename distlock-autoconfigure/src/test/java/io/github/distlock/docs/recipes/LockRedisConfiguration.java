package io.github.distlock.docs.recipes;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Configuration(proxyBeanMethods = false)
class LockRedisConfiguration {

	@Bean(defaultCandidate = false)
	LettuceConnectionFactory lockRedis(@Value("${lock-redis.host}") String host,
			@Value("${lock-redis.port}") int port) {
		return new LettuceConnectionFactory(host, port);
	}

}
