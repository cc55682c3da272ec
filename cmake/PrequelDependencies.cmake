# Every third-party package, found once. All come from the distribution; `./dev setup` installs
# them. The imported targets are SYSTEM, so their headers are outside our warnings.

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Eigen3 3.4 CONFIG REQUIRED)          # Eigen3::Eigen
find_package(RocksDB CONFIG REQUIRED)               # RocksDB::rocksdb-shared

if(NOT PREQUEL_NO_GRPC)
  find_package(Protobuf MODULE REQUIRED)  # protobuf::libprotobuf, protobuf::protoc; no CONFIG file
  find_package(gRPC CONFIG REQUIRED)      # gRPC::grpc++, gRPC::grpc_cpp_plugin
  find_package(prometheus-cpp CONFIG REQUIRED)  # prometheus-cpp::core, prometheus-cpp::pull
  find_package(CLI11 CONFIG REQUIRED)           # CLI11::CLI11
  find_package(ZLIB REQUIRED)                   # ZLIB::ZLIB
  find_package(OpenSSL 3 REQUIRED)              # OpenSSL::SSL, which gRPC uses too
  find_package(nlohmann_json 3 REQUIRED)        # nlohmann_json::nlohmann_json
  find_package(Boost 1.74 REQUIRED)             # Boost::headers: Asio, Beast
endif()

if(BUILD_TESTING)
  find_package(GTest CONFIG REQUIRED)      # GTest::gtest_main, GTest::gmock
  find_package(benchmark CONFIG REQUIRED)  # benchmark::benchmark
  if(NOT PREQUEL_NO_GRPC)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(cpp-httplib REQUIRED IMPORTED_TARGET cpp-httplib)  # PkgConfig::cpp-httplib
  endif()
endif()
