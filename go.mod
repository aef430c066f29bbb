module github.com/columntypes/columntypes

go 1.25

require github.com/stretchr/testify v1.12.1 // indirect
